// What records of a user are linked to that is somebody else's: there is none, unless a link was made wrongly.
// mode: read
// params: user_id
// returns: memory_id, relation, other_id
UNWIND [
  'Belief', 'Reflection', 'Task', 'Analysis', 'Recommendation', 'Synthesis', 'Notification', 'SessionContext', 'MemoryEntry'
] AS wanted
MATCH (m:Memory {record_kind: wanted, user_id: $user_id})-[r:RECORDED_IN|REFERS_TO|LEARNED_FROM]->(o)
WHERE o.user_id <> $user_id OR r.user_id <> $user_id
RETURN m.id AS memory_id, type(r) AS relation, o.id AS other_id
ORDER BY memory_id, relation, other_id
LIMIT 100
