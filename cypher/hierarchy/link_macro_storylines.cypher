// Which storylines a macro groups.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Macro {id: row.id, user_id: $user_id})
MATCH (t:Storyline {id: row.storyline_id, user_id: $user_id})
MERGE (m)-[:GROUPS {user_id: $user_id}]->(t)
RETURN m.id AS id
