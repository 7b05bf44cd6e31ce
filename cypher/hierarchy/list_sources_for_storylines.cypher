// When sources happened, and first arrived, that a user's anchors are mentioned in.
// mode: read
// params: user_id, ids
// returns: id, started_at, arrived_at
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE EXISTS { MATCH (s)-[:MENTIONS {user_id: $user_id}]->(:Memory) }
RETURN s.id AS id, s.started_at AS started_at, s.created_at AS arrived_at
ORDER BY id
