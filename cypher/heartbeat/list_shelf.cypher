// The first active tasks of a shelf (quick or deferred) by key: found by a range of one index, so that it costs
// the same however many there are.
// The owner is asked for behind the range: beside it, the embedded engine reads an
// index by owner, and with it everything that the owner has.
// mode: read
// params: user_id, first, last, limit
// returns: task_key, schedule, definition_json, definition_hash, shelf_key
MATCH (t:HeartbeatTask)
WHERE t.shelf_key >= $first AND t.shelf_key <= $last
WITH t
WHERE t.user_id = $user_id
RETURN t.task_key AS task_key,
  t.schedule AS schedule,
  t.definition_json AS definition_json,
  t.definition_hash AS definition_hash,
  t.shelf_key AS shelf_key
ORDER BY shelf_key
LIMIT $limit
