// Since when it is known what the given statements of a user supersede and contradict, and what does so to them.
// mode: read
// params: user_id, memory_ids
// returns: id, found_at
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
MATCH (c)-[r]-(:KnowledgeChunk)
WHERE type(r) IN ['SUPERSEDES', 'CONTRADICTS']
RETURN DISTINCT r.id AS id, toString(r.found_at) AS found_at
