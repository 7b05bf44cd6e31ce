// The ids of all tasks of a user, by the tasks' own keys.
// mode: read
// params: user_id
// returns: id, task_key
MATCH (t:HeartbeatTask {user_id: $user_id})
RETURN t.id AS id, t.task_key AS task_key
ORDER BY task_key
