// The projects of the sources that a user may read, by name; null: of those that are of none.
// mode: read
// params: user_ids
// returns: project, sources, first_at, last_at
MATCH (s:Source)
WHERE @may_read(s)
  AND @source_in_use(s)
RETURN s.project AS project, count(s) AS sources, toString(min(s.started_at)) AS first_at,
  toString(max(s.started_at)) AS last_at
ORDER BY project IS NULL, project
