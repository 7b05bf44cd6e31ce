// What the given statements of a user supersede or contradict, and what does so to them.
// mode: read
// params: user_id, memory_ids
// returns: id, memory_id
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
MATCH (c)-[r]-(o:KnowledgeChunk)
WHERE type(r) IN ['SUPERSEDES', 'CONTRADICTS']
RETURN DISTINCT c.id AS id, o.id AS memory_id
ORDER BY id, memory_id
