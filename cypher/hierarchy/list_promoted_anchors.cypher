// The anchors that had storylines, or may have been confirmed by their mentions.
// mode: read
// params: user_id
// returns: id
MATCH (n:Person|Concept|Entity {user_id: $user_id})
WHERE n.has_meso = true OR n.state = 'active'
RETURN n.id AS id
