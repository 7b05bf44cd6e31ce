// The notes that the sources of one batch have given so far, by step.
// mode: read
// params: ids, user_id
// returns: source_id, step, id, subject_id
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)<-[t:TAKEN_FROM {user_id: $user_id}]-(n:Note)
WHERE n.user_id = $user_id
RETURN s.id AS source_id, t.step AS step, n.id AS id, coalesce(n.relationship_id, n.name_id) AS subject_id
ORDER BY source_id, step, id
