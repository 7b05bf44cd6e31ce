// Of the given ones a user's tasks, without their definitions.
// mode: read
// params: user_id, ids
// returns: task_key, task_name, schedule, is_active, is_quick, definition_hash, execution_count, error_count, last_executed, last_error, next_due
UNWIND $ids AS wanted
MATCH (t:HeartbeatTask {id: wanted, user_id: $user_id})
RETURN t.task_key AS task_key,
  t.task_name AS task_name,
  t.schedule AS schedule,
  t.is_active AS is_active,
  t.is_quick AS is_quick,
  t.definition_hash AS definition_hash,
  t.execution_count AS execution_count,
  t.error_count AS error_count,
  t.last_executed AS last_executed,
  t.last_error AS last_error,
  t.next_due AS next_due
ORDER BY task_key
