// What a user's sources that are in use add up to, in numbers and tokens, and from when to when they are. It costs what there is.
// mode: read
// params: user_id
// returns: memories, tokens, first_at, last_at
MATCH (s:Source {user_id: $user_id})
WHERE @source_in_use(s)
  AND @in_use(s)
RETURN count(s) AS memories, sum(s.token_count) AS tokens, min(toString(s.started_at)) AS first_at,
  max(toString(s.started_at)) AS last_at
