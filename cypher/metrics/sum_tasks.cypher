// What a user's heartbeat tasks add up to (000, Heartbeat lazy loading efficiency).
// mode: read
// params: user_id
// returns: tasks, loaded, deferred, definition_tokens, executions, errors
MATCH (t:HeartbeatTask {user_id: $user_id})
RETURN count(t) AS tasks,
  sum(CASE WHEN t.last_definition_load IS NULL THEN 0 ELSE 1 END) AS loaded,
  sum(CASE WHEN t.is_active AND NOT t.is_quick THEN 1 ELSE 0 END) AS deferred,
  sum(coalesce(t.definition_tokens, 0)) AS definition_tokens,
  sum(coalesce(t.execution_count, 0)) AS executions,
  sum(coalesce(t.error_count, 0)) AS errors
