// What a storyline includes: only sources that mention its anchor for this user.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (t:Storyline {id: row.id, user_id: $user_id})
MATCH (s:Source {id: row.source_id})
WHERE EXISTS { MATCH (s)-[:MENTIONS {user_id: $user_id}]->(n:Memory) WHERE n.id = row.anchor_id }
MERGE (t)-[:INCLUDES {user_id: $user_id}]->(s)
RETURN t.id AS id
