// The living, summarised sources of a user's teams that the user may read, each with a short text that changes with what
// their values follow from: the sources that have changed are found by it.
// mode: read
// params: team_ids, user_ids
// returns: memory_id, mark
MATCH (s:Source)
WHERE s.user_id IN $team_ids
  AND @is_open_to(s.readers, $user_ids)
  AND @source_in_use(s)
  AND @in_use(s)
  AND s.summary IS NOT NULL
OPTIONAL MATCH (reply:Source)-[:REPLIES_TO]->(s)
WHERE @may_read(reply)
  AND @source_in_use(reply)
WITH s, count(DISTINCT reply.id) AS replies
RETURN s.id AS memory_id,
  coalesce(s.processed_fingerprint, '') + '/' + coalesce(s.embedder, '') + '/' + coalesce(toString(s.started_at), '')
    + '/' + toString(coalesce(s.access_count, 0)) + '/' + coalesce(toString(s.last_accessed_at), '')
    + '/' + toString(coalesce(s.confidence, 0)) + '/' + toString(replies) AS mark
