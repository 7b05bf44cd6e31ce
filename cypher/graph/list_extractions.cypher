// What a user has extracted already, or wants extracted, from own and team sources.
// mode: read
// params: user_id
// returns: source_id, fingerprint, status, attempts, next_attempt_at, source_started_at
MATCH (x:Extraction {user_id: $user_id})
RETURN x.source_id AS source_id, x.fingerprint AS fingerprint, x.status AS status,
  x.attempts AS attempts, x.next_attempt_at AS next_attempt_at, x.source_started_at AS source_started_at
