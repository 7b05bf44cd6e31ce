// The tasks that are due at an instant, longest due first, with their full definitions: found by a range of one index, so
// that it costs what is due, whatever there is. No two tasks have the same key: a page goes on where the last one ended.
// The owner is asked for behind the range: beside it, the embedded engine reads an
// index by owner, and with it everything that the owner has.
// mode: read
// params: user_id, after, last, limit
// returns: id, task_key, task_name, schedule, definition_json, is_active, execution_count, error_count, last_executed, last_error, next_due, due_key
MATCH (t:HeartbeatTask)
WHERE t.due_key > $after AND t.due_key <= $last
WITH t
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
  t.next_due AS next_due,
  t.due_key AS due_key
ORDER BY due_key
LIMIT $limit
