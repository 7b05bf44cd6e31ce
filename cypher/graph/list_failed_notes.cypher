// The sources of a user of which some notes could not be taken, and why.
// mode: read
// params: user_id
// returns: source_id, error
MATCH (x:Extraction {user_id: $user_id})
WHERE x.people_error IS NOT NULL OR x.concepts_error IS NOT NULL OR x.entities_error IS NOT NULL
RETURN x.source_id AS source_id, coalesce(x.people_error, x.concepts_error, x.entities_error) AS error
ORDER BY source_id
LIMIT 100
