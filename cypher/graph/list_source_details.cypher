// The given sources as a list shows them, those of these owners alone, as far as one of $reader_ids may
// read them (null: the operator).
// mode: read
// params: ids, user_ids, reader_ids
// returns: id, owner, project, kind, title, path, started_at, status, error
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE s.user_id IN $user_ids
  AND ($reader_ids IS NULL OR @is_open_to(s.readers, $reader_ids))
  AND @source_in_use(s)
RETURN s.id AS id, s.user_id AS owner, s.project AS project, s.source_type AS kind, s.title AS title, s.path AS path,
  s.started_at AS started_at, s.processing_status AS status, s.processing_error AS error
