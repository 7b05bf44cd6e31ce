// Whose theme a macro is.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Macro {id: row.id, user_id: $user_id})
MATCH (n:Memory {id: row.anchor_id, user_id: $user_id})
MERGE (m)-[:ROOTED_IN {user_id: $user_id}]->(n)
RETURN m.id AS id
