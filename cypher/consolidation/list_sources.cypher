// A user's own extracted sources in the default search that have rested by a day, with their lives and what their plans
// follow from: found by a range of one index, so that it costs what has rested.
// The owner is asked for behind the range: beside it, the embedded engine reads all that the owner has.
// mode: read
// params: user_id, first, last
// returns: id, title, kind, started_at, extraction, labels, state, archived_from, ttl_policy, confidence, salience, salience_at, created_at, ingested_at, access_count, recall_frequency, last_accessed_at, last_recall_interval, decay_gradient
MATCH (m:Memory)
WHERE m.rest_key > $first AND m.rest_key <= $last
WITH m.id AS rested
MATCH (s:Source {id: rested, user_id: $user_id})
WHERE @source_in_use(s)
  AND @in_use(s)
MATCH (x:Extraction {user_id: $user_id, source_id: rested})
WHERE x.status = 'extracted'
RETURN s.id AS id, coalesce(s.title, '') AS title, s.source_type AS kind, s.started_at AS started_at,
  x.fingerprint AS extraction, labels(s) AS labels, s.state AS state, s.archived_from AS archived_from,
  s.ttl_policy AS ttl_policy, s.confidence AS confidence, s.salience AS salience, s.salience_at AS salience_at,
  s.created_at AS created_at, s.ingested_at AS ingested_at, s.access_count AS access_count,
  s.recall_frequency AS recall_frequency, s.last_accessed_at AS last_accessed_at,
  s.last_recall_interval AS last_recall_interval, s.decay_gradient AS decay_gradient
ORDER BY id
