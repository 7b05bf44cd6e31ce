// Records whose embedding was another embedder's.
// mode: write
// params: rows, user_id, embedder
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.embedding = row.embedding,
  m.embedder = $embedder,
  @becomes_due(m)
RETURN m.id AS id
