// Macros as their storylines make them up. Active from the start, like the storylines they group.
// mode: write
// params: rows, user_id, embedder, now
// returns: id
UNWIND $rows AS row
MERGE (m:Memory:Macro {id: row.id, user_id: $user_id})
ON CREATE SET
  m.ref = row.ref,
  m.salience = 0.5,
  m.state = 'active',
  m.ttl_policy = 'decay',
  m.access_count = 0,
  m.recall_frequency = 0,
  m.last_recall_interval = 0,
  m.decay_gradient = 1.0,
  m.created_at = datetime($now)
SET m.anchor_id = row.anchor_id,
  m.title = row.title,
  m.overview = row.overview,
  m.storyline_count = row.storyline_count,
  m.total_source_count = row.total_source_count,
  m.first_event_at = CASE WHEN row.first_event_at IS NULL THEN null ELSE datetime(row.first_event_at) END,
  m.last_event_at = CASE WHEN row.last_event_at IS NULL THEN null ELSE datetime(row.last_event_at) END,
  m.confidence = row.confidence,
  m.token_count = row.token_count,
  m.embedding = row.embedding,
  m.embedder = $embedder,
  m.model = row.model,
  m.fingerprint = row.fingerprint,
  m.is_dirty = false,
  m.updated_at = datetime($now)
RETURN m.id AS id
