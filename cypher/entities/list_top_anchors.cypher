// The names that most of a user's sources mention, for the report of a run.
// mode: read
// params: user_id
// returns: id, name, entity_type, source_count, distinct_source_days
MATCH (n:Person|Concept|Entity {user_id: $user_id})
WHERE @in_use(n)
RETURN n.id AS id, n.name AS name, n.entity_type AS entity_type, n.source_count AS source_count,
  n.distinct_source_days AS distinct_source_days
ORDER BY source_count DESC, id
LIMIT 10
