// What cycles of curation have cut of a user's since a day, by their audits, but for what is back: what each memory was at that moment.
// mode: read
// params: user_id, since
// returns: id, memory_id, label, action, reason, snapshot, at, state, ttl_policy, access_count, agent_references, cycle_id
MATCH (a:CurationAudit {user_id: $user_id})
WHERE a.at >= datetime($since)
  AND a.cycle_id IS NOT NULL
  AND a.restored_at IS NULL
RETURN a.id AS id, a.memory_id AS memory_id, a.label AS label, a.action AS action, a.reason AS reason,
  a.snapshot AS snapshot, a.at AS at, a.seen_state AS state, a.seen_ttl_policy AS ttl_policy,
  a.seen_access_count AS access_count, a.seen_agent_references AS agent_references, a.cycle_id AS cycle_id
ORDER BY at DESC, id
LIMIT 10000
