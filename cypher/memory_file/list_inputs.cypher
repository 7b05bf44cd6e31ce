// What a user's memory file follows from, as one short row per source, extraction, storyline, macro and
// finished stage: when none of these has changed, the file has not.
// mode: read
// params: user_id, user_ids
// returns: kind, id, mark
MATCH (s:Source)
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
RETURN 'source' AS kind, s.id AS id, coalesce(s.processed_fingerprint, '') AS mark
UNION ALL
MATCH (e:Extraction {user_id: $user_id})
RETURN 'extraction' AS kind, e.id AS id, coalesce(e.fingerprint, '') + '/' + coalesce(e.status, '') + '/' + coalesce(toString(e.completed_at), '') AS mark
UNION ALL
MATCH (t:Storyline {user_id: $user_id})
RETURN 'storyline' AS kind, t.id AS id, coalesce(t.fingerprint, '') AS mark
UNION ALL
MATCH (m:Macro {user_id: $user_id})
RETURN 'macro' AS kind, m.id AS id, coalesce(m.fingerprint, '') AS mark
UNION ALL
MATCH (st:StageState {user_id: $user_id})
WHERE st.stage = 'values'
RETURN 'stage' AS kind, st.id AS id, coalesce(st.fingerprint, '') AS mark
