// Of some records of a user those that are archived, or are planned to be, long, and not condensed yet. Not what somebody wants to keep.
// mode: read
// params: user_id, ids, planned
// returns: id, ref, kind, title, text, token_count, version
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id = $user_id
  AND m.record_kind IS NOT NULL
  AND @is_living(m)
  AND (m.id IN $planned OR NOT (@in_use(m)))
  AND NOT m.ttl_policy = 'keep_forever'
  AND @is_bulky(m)
RETURN m.id AS id,
  m.ref AS ref,
  m.record_kind AS kind,
  m.title AS title,
  m.text AS text,
  m.token_count AS token_count,
  coalesce(m.version, 0) AS version
ORDER BY id
