// Have all statements of a user judged again: another recipe has another opinion.
// mode: write
// params: user_id
// returns: memories
MATCH (c:KnowledgeChunk {user_id: $user_id})
SET c.unjudged = $user_id
RETURN count(c) AS memories
