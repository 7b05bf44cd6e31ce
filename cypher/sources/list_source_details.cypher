// The given sources as a list shows them, those of these owners alone.
// mode: read
// params: ids, user_ids
// returns: id, owner, kind, title, path, started_at, status, error
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE s.user_id IN $user_ids
RETURN s.id AS id, s.user_id AS owner, s.source_type AS kind, s.title AS title, s.path AS path,
  s.started_at AS started_at, s.processing_status AS status, s.processing_error AS error
