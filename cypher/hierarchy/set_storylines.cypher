// What storylines are by what they are made up of.
// mode: write
// params: rows, user_id, embedder, now
// returns: id
UNWIND $rows AS row
MATCH (t:Storyline {id: row.id, user_id: $user_id})
SET t.anchor_id = row.anchor_id,
  t.title = row.title,
  t.given_title = row.given_title,
  t.summary = row.summary,
  t.sentences = row.sentences,
  t.statement_ids = row.statement_ids,
  t.source_count = row.source_count,
  t.distinct_source_days = row.distinct_source_days,
  t.first_source_at = CASE WHEN row.first_source_at IS NULL THEN null ELSE datetime(row.first_source_at) END,
  t.last_source_at = CASE WHEN row.last_source_at IS NULL THEN null ELSE datetime(row.last_source_at) END,
  @made_anew(t)
RETURN t.id AS id
