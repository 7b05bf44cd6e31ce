// The words and embeddings by which statements are compared.
// mode: read
// params: user_id, ids
// returns: chunk_id, text, embedding, embedder
UNWIND $ids AS chunk_id
MATCH (c:KnowledgeChunk {id: chunk_id, user_id: $user_id})
RETURN c.id AS chunk_id, c.content AS text, c.embedding AS embedding, c.embedder AS embedder
ORDER BY chunk_id
