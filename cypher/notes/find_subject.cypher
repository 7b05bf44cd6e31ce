// The person, concept, entity or relationship of a user behind a reference.
// mode: read
// params: user_id, ref
// returns: id, name, kind, source_count, distinct_source_days, first_mentioned_at, last_mentioned_at, description, described_at, described_by, is_dirty
MATCH (n:Memory {ref: $ref})
WHERE n.user_id = $user_id
  AND (n:Person OR n:Concept OR n:Entity OR (n:Relationship AND coalesce(n.source_count, 0) > 0))
OPTIONAL MATCH (n)-[:RELATES_FROM {user_id: $user_id}]->(f:Memory)
OPTIONAL MATCH (n)-[:RELATES_TO {user_id: $user_id}]->(t:Memory)
RETURN n.id AS id, coalesce(n.name, f.name + ' ' + n.type + ' ' + t.name, n.type) AS name,
  coalesce(n.entity_type, 'relationship') AS kind, n.source_count AS source_count,
  n.distinct_source_days AS distinct_source_days, coalesce(n.first_mentioned_at, n.first_seen) AS first_mentioned_at,
  coalesce(n.last_mentioned_at, n.last_seen) AS last_mentioned_at, coalesce(n.description, n.stated) AS description,
  n.described_at AS described_at, n.described_by AS described_by, coalesce(n.is_dirty, false) AS is_dirty
ORDER BY id
LIMIT 1
