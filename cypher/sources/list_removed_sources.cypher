// The sources of these owners that were removed or withdrawn, the latest first: only what one of $reader_ids could read
// if it were not (null: the operator, all of them). A removed one has no readers, so that they follow from who took part.
// mode: read
// params: user_ids, reader_ids
// returns: id, owner, kind, title, path, started_at, removed_at, removed_by
MATCH (s:Source)
WHERE s.user_id IN $user_ids
  AND NOT (@source_in_use(s))
WITH s, @readers(s, false, s.sensitivity, s.participant_keys) AS readers
WHERE $reader_ids IS NULL OR @is_open_to(readers, $reader_ids)
RETURN s.id AS id, s.user_id AS owner, s.source_type AS kind, s.title AS title, s.path AS path,
  s.started_at AS started_at, coalesce(s.removed_at, s.withdrawn_at) AS removed_at, s.removed_by AS removed_by
ORDER BY removed_at DESC, id
