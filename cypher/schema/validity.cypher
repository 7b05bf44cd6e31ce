// What holds no longer, and what is disputed.
// mode: schema
// params: -
// returns: -

// What later statements of a user supersede, by how far.
CREATE INDEX chunk_outdated IF NOT EXISTS
FOR (n:KnowledgeChunk)
ON (n.user_id, n.outdated);

// Which statements of a user contradict another.
CREATE INDEX chunk_disputed IF NOT EXISTS
FOR (n:KnowledgeChunk)
ON (n.user_id, n.is_disputed);
