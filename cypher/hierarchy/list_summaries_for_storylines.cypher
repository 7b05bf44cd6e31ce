// The summaries by which storylines are named, of sources that a user's anchors are mentioned in.
// mode: read
// params: user_id, ids
// returns: id, summary
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE EXISTS { MATCH (s)-[:MENTIONS {user_id: $user_id}]->(:Memory) }
RETURN s.id AS id, s.summary AS summary
ORDER BY id
