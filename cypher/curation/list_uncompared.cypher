// The statements of a user that came in since they were last compared with the others.
// mode: read
// params: user_id, limit
// returns: id
MATCH (m:Memory {uncompared: $user_id})
RETURN m.id AS id
ORDER BY id
LIMIT $limit
