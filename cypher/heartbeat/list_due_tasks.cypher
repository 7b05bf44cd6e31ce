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
RETURN @whole_task(t),
  t.due_key AS due_key
ORDER BY due_key
LIMIT $limit
