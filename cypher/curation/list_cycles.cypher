// What the last cycles of curation did for a user, the latest first.
// mode: read
// params: user_id, limit
// returns: properties
MATCH (c:CurationCycleSummary {user_id: $user_id})
RETURN properties(c) AS properties
ORDER BY c.at DESC, c.id
LIMIT $limit
