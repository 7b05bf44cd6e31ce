// What cycles of curation did for a user before a day, in figures.
// mode: read
// params: user_id, before, limit
// returns: id
MATCH (c:CurationCycleSummary {user_id: $user_id})
WHERE c.at < datetime($before)
RETURN c.id AS id
ORDER BY id
LIMIT $limit
