// What a user's registry adds up to (000, HeartbeatTaskRegistry).
// mode: write
// params: id, user_id, tasks, active, quick, task_definitions_hash, now
// returns: id
MERGE (r:HeartbeatTaskRegistry {id: $id, user_id: $user_id})
SET r.tasks = $tasks,
  r.active = $active,
  r.quick = $quick,
  r.task_definitions_hash = $task_definitions_hash,
  r.last_full_refresh = datetime($now)
RETURN r.id AS id
