// Of the given memories a user's living macros, with what the five signals need; their vectors only with with_vectors.
// mode: read
// params: user_id, memory_ids, with_vectors
// returns: memory_id, owner, text, source_count, access_count, created_at, last_accessed_at, occurred_at, label, embedding
UNWIND $memory_ids AS wanted
MATCH (m:Macro {id: wanted, user_id: $user_id})
WHERE @in_use(m)
  AND m.overview IS NOT NULL
RETURN m.id AS memory_id,
  m.user_id AS owner,
  m.overview AS text,
  m.total_source_count AS source_count,
  m.access_count AS access_count,
  m.created_at AS created_at,
  m.last_accessed_at AS last_accessed_at,
  m.last_event_at AS occurred_at,
  m.title AS label,
  CASE WHEN $with_vectors THEN m.embedding END AS embedding
