// What was cut of a user's from one key to another, by its audits, but for what is back: what each memory was at that moment. A
// range of one index, so that it costs what was cut then, whatever there is.
// mode: read
// params: user_id, first, last
// returns: id, memory_id, label, action, reason, snapshot, at, state, ttl_policy, access_count, agent_references, cycle_id
MATCH (a:CurationAudit)
WHERE a.cut_key >= $first AND a.cut_key < $last
WITH a
WHERE a.user_id = $user_id
  AND a.restored_at IS NULL
RETURN a.id AS id, a.memory_id AS memory_id, a.label AS label, a.action AS action, a.reason AS reason,
  a.snapshot AS snapshot, a.at AS at, a.seen_state AS state, a.seen_ttl_policy AS ttl_policy,
  a.seen_access_count AS access_count, a.seen_agent_references AS agent_references, a.cycle_id AS cycle_id
