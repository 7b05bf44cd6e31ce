// When the next of an owner's sources that could not be processed is to be tried again; null when none is.
// mode: read
// params: user_id, now
// returns: at
MATCH (s:Source {user_id: $user_id, processing_status: 'failed'})
WHERE s.next_attempt_at > datetime($now)
RETURN min(s.next_attempt_at) AS at
