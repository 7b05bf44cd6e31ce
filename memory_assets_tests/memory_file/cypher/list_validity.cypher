// How far a user's statements hold.
// mode: read
// params: user_id
// returns: content, outdated, valid_to
MATCH (c:KnowledgeChunk {user_id: $user_id})
RETURN c.content AS content, c.outdated AS outdated, toString(c.valid_to) AS valid_to
ORDER BY content
