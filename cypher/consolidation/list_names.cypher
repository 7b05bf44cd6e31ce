// Whom and what some of a user's sources name, each by which name.
// mode: read
// params: user_id, ids
// returns: source_id, anchor_id, name, kind, name_id, source_count, is_owner
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(n:Memory)
RETURN s.id AS source_id, n.id AS anchor_id, n.name AS name,
  CASE WHEN n:Person THEN 'person' WHEN n:Concept THEN 'concept' ELSE 'entity' END AS kind,
  coalesce(m.name_id, n.id) AS name_id, coalesce(n.source_count, 0) AS source_count,
  coalesce(n.is_owner, false) AS is_owner
ORDER BY source_id, anchor_id, name_id
