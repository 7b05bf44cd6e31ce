// All that a user's memory states: in the words in which it was said, and as a stranger understands it.
// mode: read
// params: user_id
// returns: content, statement
MATCH (c:KnowledgeChunk {user_id: $user_id})
WHERE @is_living(c)
RETURN c.content AS content,
  coalesce(c.statement, '') AS statement
ORDER BY c.id
