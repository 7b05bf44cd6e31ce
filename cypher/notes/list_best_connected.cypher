// The people, concepts and entities of a user that have the most relationships.
// mode: read
// params: user_id
// returns: id, name, kind, relationships
MATCH (r:Relationship {user_id: $user_id})
MATCH (r)-[:RELATES_FROM|RELATES_TO {user_id: $user_id}]->(n:Memory)
WHERE @in_use(r)
  AND coalesce(r.source_count, 0) > 0
  AND @in_use(n)
RETURN n.id AS id, n.name AS name, n.entity_type AS kind, count(DISTINCT r) AS relationships
ORDER BY relationships DESC, id
LIMIT 10
