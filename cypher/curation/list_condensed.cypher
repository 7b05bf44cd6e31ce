// The records of a user that were condensed, by their references.
// mode: read
// params: user_id, refs
// returns: id, ref, title, full_text, token_count, version
UNWIND $refs AS wanted
MATCH (m:Memory {ref: wanted, user_id: $user_id})
WHERE m.full_text IS NOT NULL
  AND @is_living(m)
RETURN m.id AS id, m.ref AS ref, m.title AS title, m.full_text AS full_text, m.token_count AS token_count,
  coalesce(m.version, 0) AS version
ORDER BY id
