// The sources that a user may read whose extraction failed for the user, and why.
// mode: read
// params: user_id, user_ids
// returns: source_id, title, error
MATCH (x:Extraction {user_id: $user_id, status: 'failed'})
MATCH (s:Source {id: x.source_id})
WHERE @may_read(s)
RETURN x.source_id AS source_id, s.title AS title, x.error AS error
ORDER BY source_id
LIMIT 100
