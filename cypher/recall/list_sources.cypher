// The processed sources that a user may read, each with what tells whether its words have changed.
// kept_turns: of one that a note stands for, what the default search still reads.
// mode: read
// params: user_ids
// returns: id, ref, owner, kind, title, started_at, is_archived, kept_turns, mark
MATCH (s:Source)
WHERE @may_read(s)
  AND @source_in_use(s)
RETURN s.id AS id,
  s.ref AS ref,
  s.user_id AS owner,
  s.source_type AS kind,
  coalesce(s.title, '') AS title,
  s.started_at AS started_at,
  NOT (@in_use(s)) AS is_archived,
  s.kept_turns AS kept_turns,
  coalesce(s.processed_fingerprint, '') AS mark
