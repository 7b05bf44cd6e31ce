// The relationships of a person, concept or entity of a user that a source supports and that are not archived, the best
// supported first.
// mode: read
// params: user_id, id
// returns: id, ref, type, from_name, to_name, description, source_count, confidence, first_seen, last_seen, notes
MATCH (m:Memory {id: $id, user_id: $user_id})
MATCH (m)<-[:RELATES_FROM|RELATES_TO {user_id: $user_id}]-(r:Relationship)
WHERE @in_use(r)
  AND coalesce(r.source_count, 0) > 0
WITH DISTINCT r
MATCH (r)-[:RELATES_FROM]->(f:Memory)
MATCH (r)-[:RELATES_TO]->(t:Memory)
OPTIONAL MATCH (r)-[:HAS_NOTE]->(n:Note)
WITH r, f, t, count(n) AS notes
RETURN r.id AS id, r.ref AS ref, r.type AS type, f.name AS from_name, t.name AS to_name,
  coalesce(r.description, r.stated) AS description, r.source_count AS source_count, r.confidence AS confidence,
  r.first_seen AS first_seen, r.last_seen AS last_seen, notes
ORDER BY source_count DESC, id
LIMIT 100
