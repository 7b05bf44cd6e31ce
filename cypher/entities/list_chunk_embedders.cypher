// Which of a batch's statements are there already, and whose embedding they have.
// mode: read
// params: user_id, ids
// returns: id, embedder
UNWIND $ids AS chunk_id
MATCH (c:KnowledgeChunk {id: chunk_id, user_id: $user_id})
RETURN c.id AS id, c.embedder AS embedder
