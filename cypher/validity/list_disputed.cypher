// The statements of a user that contradict another.
// mode: read
// params: user_id
// returns: id
MATCH (c:KnowledgeChunk {user_id: $user_id, is_disputed: true})
RETURN c.id AS id
