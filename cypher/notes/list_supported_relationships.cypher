// The relationships that the sources of one batch have supported so far, by step.
// mode: read
// params: ids, user_id
// returns: source_id, step, id, labels, properties
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[p:SUPPORTS {user_id: $user_id}]->(r:Relationship)
WHERE r.user_id = $user_id
RETURN s.id AS source_id, p.step AS step, r.id AS id, labels(r) AS labels, properties(r) AS properties
ORDER BY source_id, step, id
