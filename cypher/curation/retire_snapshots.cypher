// Remove the given snapshots of a user's metrics, of days long ago: a history has an end. They are no memories, and no
// rail protects them.
// mode: write
// params: user_id, ids
// returns: id
UNWIND $ids AS wanted
MATCH (m:MetricsSnapshot {id: wanted, user_id: $user_id})
WITH m, m.id AS id
DETACH DELETE m
RETURN id
