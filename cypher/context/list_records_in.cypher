// What agents have remembered in some sources of a user, as records with a kind of their own.
// mode: read
// params: user_id, source_ids
// returns: source_id, id, ref, kind, text, about, at, valid_from, valid_to
UNWIND $source_ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
MATCH (m:Memory)-[:RECORDED_IN {user_id: $user_id}]->(s)
WHERE m.memory_kind IS NOT NULL
  AND @is_living(m)
  AND @in_use(m)
RETURN s.id AS source_id, m.id AS id, m.ref AS ref, m.memory_kind AS kind, m.text AS text,
  coalesce(m.about, []) AS about, toString(m.recorded_at) AS at,
  m.valid_from AS valid_from, m.valid_to AS valid_to
ORDER BY source_id, id
