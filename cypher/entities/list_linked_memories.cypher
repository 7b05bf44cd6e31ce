// What a batch's sources were linked to by earlier extractions: these are derived anew, or retired.
// mode: read
// params: user_id, ids
// returns: id, labels, properties
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[r:MENTIONS|STATES]->(m:Memory)
WHERE r.user_id = $user_id AND m.user_id = $user_id
WITH DISTINCT m
RETURN m.id AS id, labels(m) AS labels, properties(m) AS properties
ORDER BY id
