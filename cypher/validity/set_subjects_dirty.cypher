// The subjects noted in the words of statements that were judged are to be described anew.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)<-[:TAKEN_FROM {user_id: $user_id}]-(n:Note)
WHERE n.content CONTAINS r.content
MATCH (m:Memory)-[:HAS_NOTE {user_id: $user_id}]->(n)
WITH DISTINCT m
SET @becomes_dirty(m, $now)
RETURN m.id AS id
