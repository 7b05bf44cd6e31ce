// Of the given memories the living, summarised sources that a user may read (their own and their teams'), with what the five
// signals need. A source is said again by the distinct living sources that reply to it and that the user may read too.
// embedding: only with with_vectors.
// mode: read
// params: user_ids, memory_ids, with_vectors
// returns: memory_id, owner, text, is_abandoned, confidence, source_count, access_count, created_at, last_accessed_at, occurred_at, embedding
UNWIND $memory_ids AS wanted
MATCH (s:Source {id: wanted})
WHERE @may_read(s)
  AND @source_in_use(s)
  AND @in_use(s)
  AND s.summary IS NOT NULL
OPTIONAL MATCH (reply:Source)-[:REPLIES_TO]->(s)
WHERE @may_read(reply)
  AND @source_in_use(reply)
WITH s, count(DISTINCT reply.id) AS replies
RETURN s.id AS memory_id,
  s.user_id AS owner,
  s.summary AS text,
  coalesce(s.provenance, '') CONTAINS '"branch": "abandoned"' AS is_abandoned,
  s.confidence AS confidence,
  replies AS source_count,
  s.access_count AS access_count,
  s.created_at AS created_at,
  s.last_accessed_at AS last_accessed_at,
  s.started_at AS occurred_at,
  CASE WHEN $with_vectors THEN s.embedding END AS embedding
