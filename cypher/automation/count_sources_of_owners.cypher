// How far each owner's sources have come.
// mode: read
// params: user_ids
// returns: user_id, status, sources
UNWIND $user_ids AS owner
MATCH (s:Source {user_id: owner})
WHERE @source_in_use(s)
RETURN owner AS user_id, s.processing_status AS status, count(s) AS sources
ORDER BY user_id, status
