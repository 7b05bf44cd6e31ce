// The records of a user of some kinds (decisions, fixes of errors) that name one of these names and the user may read, the
// latest first.
// mode: read
// params: user_id, user_ids, kinds, names, limit
// returns: id, ref, kind, text, about, at, valid_from, valid_to, sources
UNWIND $kinds AS wanted
MATCH (m:Memory {memory_kind: wanted, user_id: $user_id})
WHERE @is_living(m)
  AND @in_use(m)
  AND any(name IN $names WHERE toLower(m.text) CONTAINS name OR any(one IN coalesce(m.about, []) WHERE toLower(one) = name))
MATCH (m)-[:RECORDED_IN {user_id: $user_id}]->(s:Source {user_id: $user_id})
WHERE @source_in_use(s)
  AND @may_read(s)
WITH m, collect(s.id) AS sources
RETURN m.id AS id, m.ref AS ref, m.memory_kind AS kind, m.text AS text, coalesce(m.about, []) AS about,
  toString(m.recorded_at) AS at,
  m.valid_from AS valid_from, m.valid_to AS valid_to, sources
ORDER BY at DESC, id
LIMIT $limit
