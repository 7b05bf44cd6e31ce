// A user's own sources, but for what is archived or removed.
// mode: read
// params: user_id
// returns: id
MATCH (s:Source {user_id: $user_id})
WHERE @source_in_use(s)
  AND @in_use(s)
RETURN s.id AS id
ORDER BY id
