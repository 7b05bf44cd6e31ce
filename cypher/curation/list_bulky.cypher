// The archived records of a user that are long, and wait to be condensed.
// mode: read
// params: user_id, limit
// returns: id
MATCH (m:Memory {bulky: $user_id})
RETURN m.id AS id
ORDER BY id
LIMIT $limit
