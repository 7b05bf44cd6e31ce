// Records whose embedding was another embedder's.
// mode: write
// params: rows, user_id, embedder
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
SET m.embedding = row.embedding,
  m.embedder = $embedder,
  @becomes_due(m)
RETURN m.id AS id
