// Whomever and whatever of a user's was described, or looked at for it.
// mode: read
// params: user_id
// returns: id
MATCH (m:Person|Concept|Entity|Relationship {user_id: $user_id})
WHERE m.described_from IS NOT NULL
RETURN m.id AS id
