// What stands above the passages of some sources, as far as a user may read them now.
// kept_turns: of one that a note stands for, what the default search still reads.
// mode: read
// params: ids, user_ids
// returns: id, ref, owner, kind, title, started_at, is_archived, kept_turns
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE @may_read(s)
  AND @source_in_use(s)
RETURN s.id AS id,
  s.ref AS ref,
  s.user_id AS owner,
  s.source_type AS kind,
  coalesce(s.title, '') AS title,
  s.started_at AS started_at,
  NOT (@in_use(s)) AS is_archived,
  s.kept_turns AS kept_turns
