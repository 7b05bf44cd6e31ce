// What archivals of a user's memories have written down: what each memory was at that moment. By the ids of their audits.
// mode: read
// params: user_id, ids
// returns: memory_id, label, snapshot, state, ttl_policy, access_count, at
UNWIND $ids AS wanted
MATCH (a:CurationAudit {id: wanted, user_id: $user_id})
RETURN a.memory_id AS memory_id, a.label AS label, a.snapshot AS snapshot, a.seen_state AS state,
  a.seen_ttl_policy AS ttl_policy, a.seen_access_count AS access_count, a.at AS at
ORDER BY at DESC, memory_id
