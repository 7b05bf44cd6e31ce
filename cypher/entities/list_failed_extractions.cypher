// The sources of a user whose extraction failed, and why.
// mode: read
// params: user_id
// returns: source_id, title, error
MATCH (x:Extraction {user_id: $user_id, status: 'failed'})
OPTIONAL MATCH (s:Source {id: x.source_id})
RETURN x.source_id AS source_id, s.title AS title, x.error AS error
ORDER BY source_id
LIMIT 100
