// The embeddings of sources that a user's anchors are mentioned in.
// mode: read
// params: user_id, ids
// returns: id, embedding, embedder
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE EXISTS { MATCH (s)-[:MENTIONS {user_id: $user_id}]->(:Memory) }
RETURN s.id AS id, s.embedding AS embedding, s.embedder AS embedder
ORDER BY id
