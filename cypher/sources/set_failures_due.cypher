// Whatever of an owner could not be processed is due again, from the first attempt on.
// mode: write
// params: user_id, now
// returns: id
MATCH (s:Source {user_id: $user_id, processing_status: 'failed'})
WHERE @source_in_use(s)
SET s.processing_attempts = 0,
  s.next_attempt_at = datetime($now)
RETURN s.id AS id
