// The processed sources that a user may read, each with what tells whether its words have changed.
// mode: read
// params: user_ids
// returns: id, ref, owner, kind, title, started_at, mark
MATCH (s:Source)
WHERE @may_read(s)
  AND @source_in_use(s)
RETURN s.id AS id,
  s.ref AS ref,
  s.user_id AS owner,
  s.source_type AS kind,
  coalesce(s.title, '') AS title,
  s.started_at AS started_at,
  coalesce(s.processed_fingerprint, '') AS mark
