// How far each source of these owners has come: enough to count, sort and choose, and no text.
// mode: read
// params: user_ids
// returns: id, owner, started_at, status, is_described
MATCH (s:Source)
WHERE s.user_id IN $user_ids
RETURN s.id AS id, s.user_id AS owner, s.started_at AS started_at, s.processing_status AS status,
  s.processed_fingerprint IS NOT NULL AS is_described
