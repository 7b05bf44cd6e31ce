// Sources that could not be processed, and why; they are due again the next time.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
SET s.processing_status = 'failed',
  s.processing_error = row.error,
  s.processing_started_at = datetime(row.started),
  s.processing_completed_at = null,
  s.updated_at = datetime(row.completed)
RETURN s.id AS id
