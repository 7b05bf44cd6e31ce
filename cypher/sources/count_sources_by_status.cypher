// How far an owner's sources have come, for the report of a run.
// mode: read
// params: user_id
// returns: status, sources
MATCH (s:Source {user_id: $user_id})
WHERE @source_in_use(s)
RETURN s.processing_status AS status,
  count(s) AS sources
ORDER BY status
