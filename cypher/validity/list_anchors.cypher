// Whom and what the given statements of a user are about, the user left out.
// mode: read
// params: user_id, memory_ids
// returns: memory_id, anchor_id
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
MATCH (c)-[:ABOUT {user_id: $user_id}]->(n:Memory)
WHERE NOT coalesce(n.is_owner, false)
RETURN c.id AS memory_id, n.id AS anchor_id
