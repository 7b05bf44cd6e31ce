// The embeddings of the summaries of some of a user's sources.
// mode: read
// params: user_id, ids
// returns: id, embedding, embedder
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
RETURN s.id AS id, s.embedding AS embedding, s.embedder AS embedder
ORDER BY id
