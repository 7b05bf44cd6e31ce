// That an execution failed: counted with its reason; the task stays due.
// mode: write
// params: id, user_id, reason, now
// returns: task_key, error_count
MATCH (t:HeartbeatTask {id: $id, user_id: $user_id})
SET t.error_count = t.error_count + 1,
  t.last_error = $reason,
  t.last_failed_at = datetime($now)
RETURN t.task_key AS task_key, t.error_count AS error_count
