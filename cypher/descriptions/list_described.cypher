// Whoever and whatever of a user's is described and is not due: by the sentences and what they cite.
// mode: read
// params: user_id
// returns: id
MATCH (m:Person|Concept|Entity|Relationship {user_id: $user_id})
WHERE m.description IS NOT NULL
  AND coalesce(m.is_dirty, false) = false
RETURN m.id AS id
ORDER BY id
