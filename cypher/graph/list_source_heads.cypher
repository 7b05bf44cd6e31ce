// How far each source of these owners has come: enough to count, sort and choose, and no text. Only
// what one of $reader_ids may read (null: the operator). Removed ones are listed elsewhere,
// withdrawn ones nowhere.
// mode: read
// params: user_ids, reader_ids
// returns: id, owner, project, started_at, status, is_described
MATCH (s:Source)
WHERE s.user_id IN $user_ids
  AND ($reader_ids IS NULL OR @is_open_to(s.readers, $reader_ids))
  AND @source_in_use(s)
RETURN s.id AS id, s.user_id AS owner, s.project AS project, s.started_at AS started_at, s.processing_status AS status,
  s.processed_fingerprint IS NOT NULL AS is_described
