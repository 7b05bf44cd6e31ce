// How many of a user's statements are outdated, by how far.
// mode: read
// params: user_id
// returns: outdated, statements
UNWIND ['wholly', 'in part', 'perhaps'] AS outdated
MATCH (c:KnowledgeChunk {user_id: $user_id, outdated: outdated})
WHERE @in_use(c)
RETURN outdated, count(c) AS statements
