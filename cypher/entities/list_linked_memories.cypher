// What a batch's sources were linked to by earlier extractions, and whose sources these are: it is derived anew, or retired.
// mode: read
// params: user_id, ids
// returns: id, labels, properties, owners
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[r:MENTIONS|STATES]->(m:Memory)
WHERE r.user_id = $user_id AND m.user_id = $user_id
WITH m, collect(DISTINCT s.user_id) AS owners
RETURN m.id AS id, labels(m) AS labels, properties(m) AS properties, owners
ORDER BY id
