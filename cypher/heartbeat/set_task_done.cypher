// That a task was executed: counted, and due again at its next slot.
// mode: write
// params: id, user_id, next_due, due_key, now
// returns: task_key, execution_count
MATCH (t:HeartbeatTask {id: $id, user_id: $user_id})
SET t.execution_count = t.execution_count + 1,
  t.last_executed = datetime($now),
  t.last_error = null,
  t.due_key = $due_key,
  t.next_due = CASE
    WHEN $next_due IS NULL THEN null
    ELSE datetime($next_due)
  END
RETURN t.task_key AS task_key, t.execution_count AS execution_count
