// Which of some statements of a user are there, and no tombstones.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
WHERE @is_living(c)
RETURN c.id AS id
