// Whose storyline it is.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (t:Storyline {id: row.id, user_id: $user_id})
MATCH (n:Memory {id: row.anchor_id, user_id: $user_id})
MERGE (t)-[:ABOUT {user_id: $user_id}]->(n)
RETURN t.id AS id
