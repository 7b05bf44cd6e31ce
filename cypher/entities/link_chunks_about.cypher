// What statements are about, by all sources that make them: those whom each source means by the names.
// mode: write
// params: rows, user_id
// returns: id, anchor_id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(n:Memory)
WHERE m.name_id IN r.about
WITH DISTINCT c, n
SET c.unjudged = $user_id,
  c.untold = CASE WHEN c.source_count > 1 THEN $user_id ELSE c.untold END
MERGE (c)-[:ABOUT {user_id: $user_id}]->(n)
RETURN c.id AS id, n.id AS anchor_id
