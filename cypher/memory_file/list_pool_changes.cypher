// What later statements have made of the statements of a pool, the latest last (see validity/link_changes).
// mode: read
// params: user_id, memory_ids
// returns: memory_id, ref, reason, outdated, lost, since
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
WHERE c.outdated IS NOT NULL
MATCH (c)<-[r:SUPERSEDES {user_id: $user_id}]-(later:KnowledgeChunk)
RETURN c.id AS memory_id, later.ref AS ref, r.reason AS reason, r.outdated AS outdated, r.lost AS lost, r.since AS since
ORDER BY memory_id, since, ref
