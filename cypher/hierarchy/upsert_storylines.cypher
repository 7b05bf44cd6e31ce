// Storylines as their sources make them up. Active from the start: the mentions that promoted them confirm
// them as a retrieval would, and macros form from active storylines (004).
// mode: write
// params: rows, user_id, embedder, now
// returns: id
UNWIND $rows AS row
MERGE (t:Memory:Storyline {id: row.id, user_id: $user_id})
ON CREATE SET
  t.ref = row.ref,
  t.salience = 0.5,
  t.state = 'active',
  t.ttl_policy = 'decay',
  t.access_count = 0,
  t.recall_frequency = 0,
  t.last_recall_interval = 0,
  t.decay_gradient = 1.0,
  t.created_at = datetime($now)
SET t.anchor_id = row.anchor_id,
  t.title = row.title,
  t.summary = row.summary,
  t.source_count = row.source_count,
  t.distinct_source_days = row.distinct_source_days,
  t.first_source_at = CASE WHEN row.first_source_at IS NULL THEN null ELSE datetime(row.first_source_at) END,
  t.last_source_at = CASE WHEN row.last_source_at IS NULL THEN null ELSE datetime(row.last_source_at) END,
  t.confidence = row.confidence,
  t.token_count = row.token_count,
  t.embedding = row.embedding,
  t.embedder = $embedder,
  t.model = row.model,
  t.fingerprint = row.fingerprint,
  t.is_dirty = false,
  t.updated_at = datetime($now)
RETURN t.id AS id
