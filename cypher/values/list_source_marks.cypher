// The living, summarised sources that a user may read, each with a short text that changes with what their values follow
// from: the sources that have changed are found by it.
// mode: read
// params: user_ids
// returns: memory_id, mark
MATCH (s:Source)
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
  AND coalesce(s.state, 'candidate') <> 'archived'
  AND s.summary IS NOT NULL
OPTIONAL MATCH (reply:Source)-[:REPLIES_TO]->(s)
WHERE reply.user_id IN $user_ids
  AND (reply.readers IS NULL OR any(reader IN reply.readers WHERE reader IN $user_ids))
  AND coalesce(reply.state, 'candidate') <> 'archived'
WITH s, count(DISTINCT reply.id) AS replies
RETURN s.id AS memory_id,
  coalesce(s.processed_fingerprint, '') + '/' + coalesce(s.embedder, '') + '/' + coalesce(toString(s.started_at), '')
    + '/' + toString(coalesce(s.access_count, 0)) + '/' + coalesce(toString(s.last_accessed_at), '')
    + '/' + toString(coalesce(s.confidence, 0)) + '/' + toString(replies) AS mark
