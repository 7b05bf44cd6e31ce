// Statements whose embedding was another embedder's.
// mode: write
// params: rows, user_id, embedder
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
OPTIONAL MATCH (c)<-[:STATES {user_id: $user_id}]-(s:Source)
WITH row, c, min(s.started_at) AS first_at
SET c.embedding = row.embedding,
  c.unscored = $user_id,
  c.unjudged = $user_id,
  @becomes_untold(c, true, first_at),
  c.embedder = $embedder
RETURN c.id AS id
