// How many statements a user's graph holds by what they are about, for the report of a run.
// mode: read
// params: user_id
// returns: kind, memories
MATCH (c:KnowledgeChunk {user_id: $user_id})
WHERE @in_use(c)
RETURN c.content_type AS kind,
  count(c) AS memories
ORDER BY kind
