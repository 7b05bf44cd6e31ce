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
  m.sentences = row.sentences,
  m.storyline_count = row.storyline_count,
  m.total_source_count = row.total_source_count,
  m.first_event_at = CASE WHEN row.first_event_at IS NULL THEN null ELSE datetime(row.first_event_at) END,
  m.last_event_at = CASE WHEN row.last_event_at IS NULL THEN null ELSE datetime(row.last_event_at) END,
  @made_anew(m)
RETURN m.id AS id
