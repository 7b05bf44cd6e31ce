// Sources that could not be processed, why, and when they are tried again (null: not before something changes). What
// an earlier processing made stays, with its times. Not if the source has changed since it was read.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.content_hash = row.content_hash
  AND s.title = row.title
  AND (s.started_at = datetime(row.started_at) OR (s.started_at IS NULL AND row.started_at IS NULL))
SET s.processing_status = 'failed',
  s.processing_error = row.error,
  s.processing_attempts = row.attempts,
  s.failed_recipe = row.recipe,
  s.next_attempt_at = CASE WHEN row.next_attempt_at IS NULL THEN null ELSE datetime(row.next_attempt_at) END,
  s.processing_started_at = datetime(row.started),
  s.updated_at = datetime(row.completed)
RETURN s.id AS id
