// The statements of an owner by what they are about.
// mode: schema
// params: -
// returns: -
CREATE INDEX chunk_content_types IF NOT EXISTS
FOR (n:KnowledgeChunk)
ON (n.user_id, n.content_type)
