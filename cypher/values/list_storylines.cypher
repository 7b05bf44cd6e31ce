// Of the given memories a user's living storylines, with what the five signals need; their vectors only with with_vectors.
// mode: read
// params: user_id, memory_ids, with_vectors
// returns: memory_id, owner, text, source_count, access_count, created_at, last_accessed_at, occurred_at, label, embedding
UNWIND $memory_ids AS wanted
MATCH (t:Storyline {id: wanted, user_id: $user_id})
WHERE @in_use(t)
  AND t.summary IS NOT NULL
RETURN t.id AS memory_id,
  t.user_id AS owner,
  t.summary AS text,
  t.source_count AS source_count,
  t.access_count AS access_count,
  t.created_at AS created_at,
  t.last_accessed_at AS last_accessed_at,
  t.last_source_at AS occurred_at,
  t.title AS label,
  CASE WHEN $with_vectors THEN t.embedding END AS embedding
