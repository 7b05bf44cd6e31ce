// The statements of a batch that are not there yet. One statement in two sources is one memory: what it is by
// all of them follows in set_chunk_totals. The embedding is of the normalised words, a function of the id.
// Looked up by one label, then created with both: a MERGE on two labels uses no index on the embedded engine.
// mode: write
// params: rows, user_id, embedder, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:KnowledgeChunk {id: row.id, user_id: $user_id})
WITH row, known
WHERE known IS NULL
CREATE (c:Memory:KnowledgeChunk {
  id: row.id,
  user_id: $user_id,
  ref: row.ref,
  embedding: row.embedding,
  embedder: $embedder,
  @new_memory('candidate', $now),
  updated_at: datetime($now),
  uncompared: $user_id
})
RETURN c.id AS id
