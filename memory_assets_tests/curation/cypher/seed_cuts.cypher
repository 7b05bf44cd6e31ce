// So many audits of memories that were pruned or retired at an instant, by which a rail protected none of them, or each.
UNWIND range(1, $count) AS number
CREATE (:CurationAudit {
  id: $id + toString(number), user_id: $user_id, memory_id: $id + toString(number), label: 'Synthesis', action: $action,
  reason: 'its time is over', at: datetime($at), cut_key: $user_id + '|' + $at + '|' + $id + toString(number),
  snapshot: '{"created_at": "2026-01-01T00:00:00.000Z"}', seen_state: 'active', seen_access_count: 0,
  seen_ttl_policy: $ttl_policy, seen_agent_references: 0
})
