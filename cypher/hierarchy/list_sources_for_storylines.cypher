// When sources happened that a user's anchors are mentioned in.
// mode: read
// params: user_id, ids
// returns: id, started_at
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE EXISTS { MATCH (s)-[:MENTIONS {user_id: $user_id}]->(:Memory) }
RETURN s.id AS id, s.started_at AS started_at
ORDER BY id
