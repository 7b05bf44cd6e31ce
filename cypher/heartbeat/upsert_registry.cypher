// What a user's registry adds up to (000, HeartbeatTaskRegistry). Of loads and executions $loaded and $executions are the
// change alone: they are counted by others at the same time.
// mode: write
// params: id, user_id, tasks, active, quick, definition_tokens, loaded, executions, task_definitions_hash, now
// returns: id
MERGE (r:HeartbeatTaskRegistry {id: $id, user_id: $user_id})
SET r.tasks = $tasks,
  r.active = $active,
  r.quick = $quick,
  r.definition_tokens = $definition_tokens,
  r.loaded = coalesce(r.loaded, 0) + $loaded,
  r.executions = coalesce(r.executions, 0) + $executions,
  r.task_definitions_hash = $task_definitions_hash,
  r.last_full_refresh = datetime($now)
RETURN r.id AS id
