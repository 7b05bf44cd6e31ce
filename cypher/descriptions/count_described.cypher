// How many of a user's people, concepts, entities and relationships are described, and how many wait for it.
// mode: read
// params: user_id
// returns: described, waiting
MATCH (m:Person|Concept|Entity|Relationship {user_id: $user_id})
WHERE @in_use(m)
RETURN count(m.description) AS described, sum(CASE WHEN m.is_dirty THEN 1 ELSE 0 END) AS waiting
