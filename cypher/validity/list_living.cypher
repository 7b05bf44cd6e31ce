// The ids of a user's statements, also of those that have faded: what they say still bears on the others.
// mode: read
// params: user_id
// returns: memory_id
MATCH (c:KnowledgeChunk {user_id: $user_id})
RETURN c.id AS memory_id
ORDER BY memory_id
