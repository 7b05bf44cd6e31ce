// What a user's heartbeat tasks add up to (000, Heartbeat lazy loading efficiency), as their registry is kept, and the
// tokens of the published HEARTBEAT.md.
// mode: read
// params: user_id
// returns: tokens, tasks, deferred, loaded, definition_tokens, executions
MATCH (r:HeartbeatTaskRegistry {user_id: $user_id})
RETURN CASE WHEN r.sha256 IS NULL THEN null ELSE r.current_tokens END AS tokens,
  r.tasks AS tasks,
  r.active - r.quick AS deferred,
  r.loaded AS loaded,
  r.definition_tokens AS definition_tokens,
  r.executions AS executions
