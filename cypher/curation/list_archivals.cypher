// What was archived of a user's, and what it was at that moment.
// mode: read
// params: user_id
// returns: memory_id, label, snapshot, state, ttl_policy, access_count, at
MATCH (a:CurationAudit {user_id: $user_id, action: 'archive'})
RETURN a.memory_id AS memory_id, a.label AS label, a.snapshot AS snapshot, a.seen_state AS state,
  a.seen_ttl_policy AS ttl_policy, a.seen_access_count AS access_count, a.at AS at
ORDER BY at DESC, memory_id
