// What a user's heartbeat tasks add up to (000, Heartbeat lazy loading efficiency), and the tokens of the published
// HEARTBEAT.md.
// mode: read
// params: user_id
// returns: tokens, tasks, deferred, loaded, definition_tokens, executions
MATCH (r:HeartbeatTaskRegistry {user_id: $user_id})
OPTIONAL MATCH (t:HeartbeatTask {user_id: $user_id})
WITH r,
  count(t.last_definition_load) AS loaded,
  sum(t.definition_tokens) AS definition_tokens,
  sum(t.execution_count) AS executions
RETURN CASE WHEN r.sha256 IS NULL THEN null ELSE r.current_tokens END AS tokens,
  r.tasks AS tasks,
  r.active - r.quick AS deferred,
  loaded AS loaded,
  definition_tokens AS definition_tokens,
  executions AS executions
