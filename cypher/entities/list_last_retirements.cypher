// What some anchors were when they were last retired.
// mode: read
// params: user_id, ids
// returns: id, snapshot, at
MATCH (a:CurationAudit {user_id: $user_id, action: 'retire'})
WHERE a.memory_id IN $ids
RETURN a.memory_id AS id, a.snapshot AS snapshot, toString(a.at) AS at
ORDER BY id, at
