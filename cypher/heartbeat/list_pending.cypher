// Tasks whose definitions have changed since they were last loaded (000, Pending Changes).
// The owner is asked for behind the range: beside it, the embedded engine reads an
// index by owner, and with it everything that the owner has.
// mode: read
// params: user_id, first, last, limit
// returns: task_key, definition_hash
MATCH (t:HeartbeatTask)
WHERE t.pending_key >= $first AND t.pending_key <= $last
WITH t
WHERE t.user_id = $user_id
RETURN t.task_key AS task_key, t.definition_hash AS definition_hash
ORDER BY task_key
LIMIT $limit
