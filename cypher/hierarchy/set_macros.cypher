// What macros are by what they are made up of.
// mode: write
// params: rows, user_id, embedder, now
// returns: id
UNWIND $rows AS row
MATCH (m:Macro {id: row.id, user_id: $user_id})
SET m.anchor_id = row.anchor_id,
  m.title = row.title,
  m.given_title = row.given_title,
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
  m.ingested_at = datetime($now),
  m.unaged = $user_id,
  m.unscored = $user_id,
  m.updated_at = datetime($now)
RETURN m.id AS id
