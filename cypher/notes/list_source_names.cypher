// Whom and what the sources of one batch name for a user, under the id of the name itself: what the name was
// resolved to may change, the name does not.
// mode: read
// params: ids, user_id
// returns: source_id, name_id, name, kind, entity_type, confidence
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(n:Memory)
WHERE n.user_id = $user_id
WITH s.id AS source_id, coalesce(m.name_id, n.id) AS name_id, m.name AS name,
  CASE WHEN n:Person THEN 'person' WHEN n:Concept THEN 'concept' ELSE 'entity' END AS kind,
  n.entity_type AS entity_type, m.confidence AS confidence
RETURN source_id, name_id, name, kind, entity_type, confidence
ORDER BY source_id, name_id
