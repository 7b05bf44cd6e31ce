// What statements are about, by all sources that make them: those whom each source means by the names.
// mode: write
// params: rows, user_id
// returns: id, anchor_id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
MATCH (c)<-[:STATES {user_id: $user_id}]-(every:Source)
WITH c, min(every.started_at) AS first_at
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(n:Memory)
WHERE m.name_id IN r.about
WITH DISTINCT c, n, first_at
SET c.unjudged = $user_id,
  @becomes_untold(c, c.source_count > 1, first_at)
MERGE (c)-[:ABOUT {user_id: $user_id}]->(n)
RETURN c.id AS id, n.id AS anchor_id
