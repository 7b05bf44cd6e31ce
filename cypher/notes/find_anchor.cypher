// The person, concept or entity of a user behind a reference.
// mode: read
// params: user_id, ref
// returns: id, name, kind, source_count, distinct_source_days, first_mentioned_at, last_mentioned_at, description, described_at, described_by, is_dirty
MATCH (n:Memory {ref: $ref})
WHERE n.user_id = $user_id
  AND (n:Person OR n:Concept OR n:Entity)
RETURN n.id AS id, n.name AS name, n.entity_type AS kind, n.source_count AS source_count,
  n.distinct_source_days AS distinct_source_days, n.first_mentioned_at AS first_mentioned_at,
  n.last_mentioned_at AS last_mentioned_at, n.description AS description, n.described_at AS described_at,
  n.described_by AS described_by, coalesce(n.is_dirty, false) AS is_dirty
ORDER BY id
LIMIT 1
