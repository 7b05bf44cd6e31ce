// The statements that some sources make about what they call by some names.
// mode: read
// params: rows, user_id, user_ids
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE s.user_id IN $user_ids
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE row.name_id IN r.about
WITH DISTINCT c.id AS id
RETURN id
ORDER BY id
