// Add up a user's heartbeat tasks, once: from then on the registry is kept by whoever changes a task.
// mode: write
// params: user_id
// returns: tasks
MATCH (r:HeartbeatTaskRegistry {user_id: $user_id})
WHERE r.definition_tokens IS NULL
MATCH (t:HeartbeatTask {user_id: $user_id})
WITH r,
  count(t) AS tasks,
  sum(CASE WHEN t.last_definition_load IS NULL THEN 0 ELSE 1 END) AS loaded,
  sum(coalesce(t.definition_tokens, 0)) AS definition_tokens,
  sum(coalesce(t.execution_count, 0)) AS executions
SET r.definition_tokens = definition_tokens,
  r.loaded = loaded,
  r.executions = executions
RETURN tasks
