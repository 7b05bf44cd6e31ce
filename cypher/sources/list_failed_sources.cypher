// The sources of an owner that could not be processed, why, and when they are tried again by themselves (null: not).
// mode: read
// params: user_id
// returns: id, title, reason, next_attempt_at
MATCH (s:Source {user_id: $user_id, processing_status: 'failed'})
WHERE @source_in_use(s)
RETURN s.id AS id, s.title AS title, s.processing_error AS reason, s.next_attempt_at AS next_attempt_at
ORDER BY id
LIMIT 100
