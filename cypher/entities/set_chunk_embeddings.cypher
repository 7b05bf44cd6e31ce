// Statements whose embedding was another embedder's.
// mode: write
// params: rows, user_id, embedder
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
SET c.embedding = row.embedding,
  c.unscored = $user_id,
  c.unjudged = $user_id,
  c.untold = $user_id,
  c.embedder = $embedder
RETURN c.id AS id
