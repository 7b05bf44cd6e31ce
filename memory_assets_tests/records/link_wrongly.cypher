MATCH (m:Memory {id: $one})
MATCH (o:Memory {id: $other})
CREATE (m)-[:REFERS_TO {user_id: $user_id, name: 'b1'}]->(o)
