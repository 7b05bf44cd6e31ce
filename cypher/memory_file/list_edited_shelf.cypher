// What people have written into a user's files themselves: in the pool whatever its value, the newest first. What
// vanished from a file together with others is no less theirs.
// mode: read
// params: user_id, limit
// returns: memory_id, section, entity_type, is_standing, occurred_at, value_score, tier, retention
MATCH (e:Decision {user_id: $user_id, kind: 'edit'})
WHERE e.action IN ['added', 'restored']
  OR (e.action IN ['vanished', 'dismissed'] AND e.action_before IN ['added', 'restored'])
MATCH (vc:ValueClassification {user_id: $user_id, memory_id: e.memory_id})
WITH vc, e
WHERE vc.section IS NOT NULL
ORDER BY e.at DESC, vc.memory_id
LIMIT $limit
RETURN vc.memory_id AS memory_id,
  vc.section AS section,
  vc.entity_type AS entity_type,
  coalesce(vc.is_standing, false) AS is_standing,
  toString(vc.occurred_at) AS occurred_at,
  vc.value_score AS value_score,
  vc.retention_tier AS tier,
  coalesce(vc.retention_score, 0.0) AS retention
