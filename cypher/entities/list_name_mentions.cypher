// Which sources use which name for the given anchors.
// mode: read
// params: user_id, ids
// returns: anchor_id, name_id, source_id, started_at, confidence
UNWIND $ids AS anchor_id
MATCH (n:Memory {id: anchor_id, user_id: $user_id})
MATCH (n)<-[m:MENTIONS {user_id: $user_id}]-(s:Source)
WHERE m.name_id IS NOT NULL
WITH n.id AS anchor_id, m.name_id AS name_id, s.id AS source_id, s.started_at AS started_at, m.confidence AS confidence
RETURN anchor_id, name_id, source_id, started_at, confidence
ORDER BY name_id, source_id
