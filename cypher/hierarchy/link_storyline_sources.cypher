// What a storyline includes: only sources that mention its anchor for this user.
// Merged from the source: it is in few storylines, but a storyline may include a thousand sources.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (t:Storyline {id: row.id, user_id: $user_id})
MATCH (s:Source {id: row.source_id})
WHERE EXISTS { MATCH (s)-[:MENTIONS {user_id: $user_id}]->(n:Memory) WHERE n.id = row.anchor_id }
MERGE (s)<-[:INCLUDES {user_id: $user_id}]-(t)
RETURN t.id AS id
