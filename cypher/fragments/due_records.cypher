// The records of a user whose key of a cadence has come, the longest due first: a range of one index, so that it costs what is
// due, whatever there is.
// takes: due_key
MATCH (m:Memory)
WHERE due_key > '' AND due_key <= $last
WITH m
WHERE m.user_id = $user_id
RETURN m.id AS id,
  due_key AS key
ORDER BY key
LIMIT $limit
