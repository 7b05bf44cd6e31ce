// The living record of a user behind a reference, archived or not, with the sources in use that have it.
// mode: read
// params: user_id, ref
// returns: id, ref, kind, agent, record_id, title, text, about, state, tier, recorded_at, confidence, status, due, severity, valid_from, valid_to, access_count, sources
MATCH (m:Memory {ref: $ref, user_id: $user_id})
WHERE m.record_kind IS NOT NULL
  AND @is_living(m)
MATCH (m)-[:RECORDED_IN {user_id: $user_id}]->(s:Source {user_id: $user_id})
WHERE @source_in_use(s)
WITH m, s
ORDER BY s.started_at, s.id
WITH m, collect({id: s.id, ref: s.ref, kind: s.source_type, title: s.title, path: s.path,
  occurred_at: toString(s.started_at), status: s.processing_status}) AS sources
RETURN m.id AS id, m.ref AS ref, m.record_kind AS kind, m.agent AS agent, m.record_id AS record_id, m.title AS title,
  m.text AS text, m.about AS about, m.state AS state, m.tier AS tier, m.recorded_at AS recorded_at,
  m.confidence AS confidence, m.status AS status, m.due AS due, m.severity AS severity,
  m.valid_from AS valid_from, m.valid_to AS valid_to, m.access_count AS access_count,
  sources
ORDER BY id
LIMIT 1
