// The sources of a user whose extraction failed, and why.
// mode: read
// params: user_id
// returns: source_id, error
MATCH (x:Extraction {user_id: $user_id, status: 'failed'})
RETURN x.source_id AS source_id, x.error AS error
ORDER BY source_id
LIMIT 100
