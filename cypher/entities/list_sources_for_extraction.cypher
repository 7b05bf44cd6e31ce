// What has been processed of the given owners' sources, oldest first; unknown times last.
// mode: read
// params: user_ids
// returns: id, owner, started_at, processing_status, processed_fingerprint
MATCH (s:Source)
WHERE s.user_id IN $user_ids
  AND s.processing_status IN ['processed', 'extracted']
  AND s.processed_fingerprint IS NOT NULL
RETURN s.id AS id, s.user_id AS owner, s.started_at AS started_at,
  s.processing_status AS processing_status, s.processed_fingerprint AS processed_fingerprint
ORDER BY started_at, id
