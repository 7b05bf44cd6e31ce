// A user's metrics of a day: the last state of it.
// mode: write
// params: id, user_id, day, measures, now
// returns: id
MERGE (m:MetricsSnapshot {id: $id, user_id: $user_id})
SET m.day = $day,
  m.measures = $measures,
  m.updated_at = datetime($now)
RETURN m.id AS id
