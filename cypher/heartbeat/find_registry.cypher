// A user's registry: counts, the digest of all definitions, and what was published of it.
// mode: read
// params: user_id
// returns: tasks, active, quick, task_definitions_hash, sha256, text, current_tokens, path, quick_through, deferred_through, last_sync
MATCH (r:HeartbeatTaskRegistry {user_id: $user_id})
RETURN r.tasks AS tasks,
  r.active AS active,
  r.quick AS quick,
  r.task_definitions_hash AS task_definitions_hash,
  r.sha256 AS sha256,
  r.text AS text,
  r.current_tokens AS current_tokens,
  r.path AS path,
  r.quick_through AS quick_through,
  r.deferred_through AS deferred_through,
  r.last_sync AS last_sync
