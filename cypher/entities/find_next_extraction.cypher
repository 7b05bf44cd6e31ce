// The sources whose extraction failed for a user, and when the next of them is to be tried again; null when none is.
// mode: read
// params: user_id, now
// returns: ids, at
MATCH (x:Extraction {user_id: $user_id, status: 'failed'})
RETURN collect(x.source_id) AS ids,
  min(CASE WHEN x.next_attempt_at > datetime($now) THEN x.next_attempt_at ELSE null END) AS at
