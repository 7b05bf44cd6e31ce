// Of some sources of a user those that are the user's own, extracted, and in the default search: with their lives, and
// whether they pass the rails of the knife.
// mode: read
// params: user_id, ids, born_before
// returns: id, title, kind, started_at, labels, state, archived_from, ttl_policy, confidence, salience, salience_at, created_at, ingested_at, access_count, recall_frequency, last_accessed_at, last_recall_interval, decay_gradient, passes_rails
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
WHERE @source_in_use(s)
  AND @in_use(s)
MATCH (x:Extraction {user_id: $user_id, source_id: wanted})
WHERE x.status = 'extracted'
RETURN s.id AS id, coalesce(s.title, '') AS title, s.source_type AS kind, s.started_at AS started_at,
  labels(s) AS labels, s.state AS state, s.archived_from AS archived_from, s.ttl_policy AS ttl_policy,
  s.confidence AS confidence, s.salience AS salience, s.salience_at AS salience_at, s.created_at AS created_at,
  s.ingested_at AS ingested_at, s.access_count AS access_count,
  s.recall_frequency AS recall_frequency, s.last_accessed_at AS last_accessed_at,
  s.last_recall_interval AS last_recall_interval, s.decay_gradient AS decay_gradient,
  coalesce(@passes_rails(s, $born_before), false) AS passes_rails
ORDER BY id
