// An owner's sources by the day (UTC) on which they happened and by kind, for the report of a run; day is null
// where the time is not known.
// mode: read
// params: user_id
// returns: day, kind, sources
MATCH (s:Source {user_id: $user_id})
WHERE @source_in_use(s)
RETURN substring(toString(s.started_at), 0, 10) AS day,
  s.source_type AS kind,
  count(s) AS sources
ORDER BY day, kind
