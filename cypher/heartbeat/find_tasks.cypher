// What is known of a user's tasks with the given ids.
// mode: read
// params: ids, user_id
// returns: id, task_key, schedule, definition_hash, is_active, is_quick, is_pending, added_at, last_executed, last_definition_load
UNWIND $ids AS wanted
MATCH (t:HeartbeatTask {id: wanted, user_id: $user_id})
RETURN t.id AS id,
  t.task_key AS task_key,
  t.schedule AS schedule,
  t.definition_hash AS definition_hash,
  t.is_active AS is_active,
  t.is_quick AS is_quick,
  t.is_pending AS is_pending,
  t.added_at AS added_at,
  t.last_executed AS last_executed,
  t.last_definition_load AS last_definition_load
