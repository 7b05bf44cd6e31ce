// What the values of a user depend on, as one short row per source, extraction, storyline and macro:
// when none of these has changed, no value has.
// mode: read
// params: user_id, user_ids
// returns: kind, id, mark
MATCH (s:Source)
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
RETURN 'source' AS kind, s.id AS id, coalesce(s.processed_fingerprint, '') + '/' + toString(coalesce(s.access_count, 0)) AS mark
UNION ALL
MATCH (e:Extraction {user_id: $user_id})
RETURN 'extraction' AS kind, e.id AS id, coalesce(e.fingerprint, '') + '/' + coalesce(e.status, '') + '/' + coalesce(toString(e.completed_at), '') AS mark
UNION ALL
MATCH (t:Storyline {user_id: $user_id})
RETURN 'storyline' AS kind, t.id AS id, coalesce(t.fingerprint, '') + '/' + toString(coalesce(t.access_count, 0)) AS mark
UNION ALL
MATCH (m:Macro {user_id: $user_id})
RETURN 'macro' AS kind, m.id AS id, coalesce(m.fingerprint, '') + '/' + toString(coalesce(m.access_count, 0)) AS mark
UNION ALL
MATCH (c:KnowledgeChunk {user_id: $user_id})
WITH count(c) AS chunks, sum(coalesce(c.access_count, 0)) AS accesses
RETURN 'chunks' AS kind, 'all' AS id, toString(chunks) + '/' + toString(accesses) AS mark
