// How many of a user's people, concepts, entities and relationships wait for the nightly consolidation.
// mode: read
// params: user_id
// returns: waiting
MATCH (n:Person|Concept|Entity|Relationship {user_id: $user_id})
WHERE n.is_dirty = true
RETURN count(n) AS waiting
