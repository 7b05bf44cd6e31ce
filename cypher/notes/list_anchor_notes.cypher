// What is noted of a person, concept, entity or relationship of a user, the newest first, of one source in its order; unknown
// times last.
// mode: read
// params: user_id, id
// returns: content, lifetime, expires_at, noted_at, added_by, source_id, source
MATCH (m:Memory {id: $id, user_id: $user_id})
MATCH (m)-[:HAS_NOTE {user_id: $user_id}]->(n:Note)
MATCH (s:Source {id: n.source_id})
OPTIONAL MATCH (n)-[t:TAKEN_FROM {user_id: $user_id}]->(s)
WITH n, s, min(coalesce(t.position, 0)) AS position
RETURN n.content AS content, n.lifetime AS lifetime, n.expires_at AS expires_at, n.noted_at AS noted_at,
  n.added_by AS added_by, n.source_id AS source_id, s.title AS source
ORDER BY n.noted_at IS NULL, n.noted_at DESC, n.source_id, position, n.id
LIMIT 200
