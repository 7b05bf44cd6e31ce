// A user's tasks with the given ids, as they were given.
// mode: read
// params: ids, user_id
// returns: id, task_key, task_name, schedule, definition_json, is_active
UNWIND $ids AS wanted
MATCH (t:HeartbeatTask {id: wanted, user_id: $user_id})
RETURN t.id AS id,
  t.task_key AS task_key,
  t.task_name AS task_name,
  t.schedule AS schedule,
  t.definition_json AS definition_json,
  t.is_active AS is_active
