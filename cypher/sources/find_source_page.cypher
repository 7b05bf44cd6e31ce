// One source as a person reads it, if it belongs to one of these owners.
// mode: read
// params: id, user_ids
// returns: id, owner, kind, title, path, started_at, participants, summary, turns, status, is_described, error
MATCH (s:Source {id: $id})
WHERE @may_read(s)
  AND @source_in_use(s)
OPTIONAL MATCH (s)-[:HAS_TURNS]->(turns:SourceText)
RETURN s.id AS id, s.user_id AS owner, s.source_type AS kind, s.title AS title, s.path AS path,
  s.started_at AS started_at, s.participants AS participants, s.summary AS summary, coalesce(turns.text, '[]') AS turns,
  s.processing_status AS status, s.processed_fingerprint IS NOT NULL AS is_described,
  s.processing_error AS error
