// A user's task behind a reference, or of an id, with its full definition.
// mode: read
// params: user_id, ref
// returns: id, task_key, task_name, schedule, definition_json, is_active, execution_count, error_count, last_executed, last_error, next_due
MATCH (t:HeartbeatTask {ref: $ref})
WHERE t.user_id = $user_id
RETURN t.id AS id,
  t.task_key AS task_key,
  t.task_name AS task_name,
  t.schedule AS schedule,
  t.definition_json AS definition_json,
  t.is_active AS is_active,
  t.execution_count AS execution_count,
  t.error_count AS error_count,
  t.last_executed AS last_executed,
  t.last_error AS last_error,
  t.next_due AS next_due
ORDER BY task_key
