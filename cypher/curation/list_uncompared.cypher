// What came in of a user's since it was last compared with its likes, once it is a day old: before that no rail lets it go.
// mode: read
// params: user_id, born_before, limit
// returns: id
MATCH (m:Memory {uncompared: $user_id})
WHERE m.created_at <= datetime($born_before)
RETURN m.id AS id
ORDER BY id
LIMIT $limit
