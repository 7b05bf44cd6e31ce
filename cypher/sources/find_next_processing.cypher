// The sources of an owner that could not be processed, and when the next of them is to be tried again; null when none is.
// mode: read
// params: user_id, now
// returns: ids, at
MATCH (s:Source {user_id: $user_id, processing_status: 'failed'})
WHERE @source_in_use(s)
RETURN collect(s.id) AS ids,
  min(CASE WHEN s.next_attempt_at > datetime($now) THEN s.next_attempt_at ELSE null END) AS at
