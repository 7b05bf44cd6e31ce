// Of the given memories a user's statements, as they are judged. Times come as text (see memory_file/list_pool_places).
// mode: read
// params: user_id, memory_ids
// returns: memory_id, text, content_type, speaker, said_by_owner, is_abandoned, embedding
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
RETURN c.id AS memory_id,
  c.content AS text,
  c.content_type AS content_type,
  c.speaker AS speaker,
  coalesce(c.said_by_owner, false) AS said_by_owner,
  coalesce(c.is_abandoned, false) AS is_abandoned,
  c.embedding AS embedding
