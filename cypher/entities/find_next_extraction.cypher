// When the next of a user's failed extractions is to be tried again; null when none is.
// mode: read
// params: user_id, now
// returns: at
MATCH (x:Extraction {user_id: $user_id, status: 'failed'})
WHERE x.next_attempt_at > datetime($now)
RETURN min(x.next_attempt_at) AS at
