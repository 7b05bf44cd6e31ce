// A user's registry: counts, what the tasks add up to, the digest of all definitions, and what was published of it.
// mode: read
// params: user_id
// returns: tasks, active, quick, definition_tokens, loaded, executions, task_definitions_hash, sha256, text, current_tokens, path, quick_through, deferred_through, last_sync
MATCH (r:HeartbeatTaskRegistry {user_id: $user_id})
RETURN r.tasks AS tasks,
  r.active AS active,
  r.quick AS quick,
  r.definition_tokens AS definition_tokens,
  r.loaded AS loaded,
  r.executions AS executions,
  r.task_definitions_hash AS task_definitions_hash,
  r.sha256 AS sha256,
  r.text AS text,
  r.current_tokens AS current_tokens,
  r.path AS path,
  r.quick_through AS quick_through,
  r.deferred_through AS deferred_through,
  r.last_sync AS last_sync
