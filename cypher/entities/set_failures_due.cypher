// Whatever could not be extracted for a user is due again, from the first attempt on.
// mode: write
// params: user_id, now
// returns: source_id
MATCH (x:Extraction {user_id: $user_id, status: 'failed'})
SET x.attempts = 0,
  x.next_attempt_at = datetime($now)
RETURN x.source_id AS source_id
