// What is stored of the lives of some memories of a user. A context has none: how often it was read is stored of it. Of a
// record also who accessed it, and when lately.
// mode: read
// params: user_id, memory_ids
// returns: memory_id, labels, state, archived_from, folded_at, ttl_policy, confidence, salience, salience_at, created_at, ingested_at, access_count, recall_frequency, last_accessed_at, last_recall_interval, decay_gradient, promoted_at, is_owner, recent_accesses, accessed_by
UNWIND $memory_ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id = $user_id
  AND @is_living(m)
RETURN m.id AS memory_id,
  labels(m) AS labels,
  m.state AS state,
  m.archived_from AS archived_from,
  CASE WHEN m.folded_by IS NULL THEN null ELSE m.archived_at END AS folded_at,
  m.ttl_policy AS ttl_policy,
  m.confidence AS confidence,
  m.salience AS salience,
  m.salience_at AS salience_at,
  m.created_at AS created_at,
  m.ingested_at AS ingested_at,
  m.access_count AS access_count,
  m.recall_frequency AS recall_frequency,
  m.last_accessed_at AS last_accessed_at,
  m.last_recall_interval AS last_recall_interval,
  m.decay_gradient AS decay_gradient,
  m.promoted_at AS promoted_at,
  coalesce(m.is_owner, false) AS is_owner,
  m.recent_accesses AS recent_accesses,
  m.accessed_by AS accessed_by
