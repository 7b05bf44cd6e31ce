// A user's task behind a reference, or of an id, with its full definition.
// mode: read
// params: user_id, ref
// returns: id, task_key, task_name, schedule, definition_json, is_active, execution_count, error_count, last_executed, last_error, next_due
MATCH (t:HeartbeatTask {ref: $ref})
WHERE t.user_id = $user_id
RETURN @whole_task(t)
ORDER BY task_key
