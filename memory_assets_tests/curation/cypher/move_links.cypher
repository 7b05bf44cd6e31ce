// A link of the merged record is the kept one's.
MATCH (a:Memory {id: $start_id})-[r:REFERS_TO {user_id: $user_id}]->(b:Memory {id: $end_id})
MATCH (c:Memory {id: $new_start_id})
MATCH (d:Memory {id: $new_end_id})
MERGE (c)-[:REFERS_TO {user_id: $user_id}]->(d)
WITH collect(r) AS links
FOREACH (r IN links | DELETE r)
