// The snapshots of a user's metrics among the given ids, the oldest day first.
// mode: read
// params: user_id, ids
// returns: day, measures
UNWIND $ids AS wanted
MATCH (m:MetricsSnapshot {id: wanted, user_id: $user_id})
RETURN m.day AS day,
  m.measures AS measures
ORDER BY day
