// All that a user's storylines follow from, in short.
// mode: read
// params: user_id
// returns: source_id, fingerprint, status, source_started_at
MATCH (x:Extraction {user_id: $user_id})
RETURN x.source_id AS source_id, x.fingerprint AS fingerprint, x.status AS status,
  x.source_started_at AS source_started_at
ORDER BY source_id
