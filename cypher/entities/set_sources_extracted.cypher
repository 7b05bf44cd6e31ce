// A user's own sources with a current extraction (004, Status Flow), with its times where it was made just now. A
// team's source stays 'processed': each member's Extraction says how far that member is.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.processing_status IN ['processed', 'extracted']
SET s.processing_status = 'extracted',
  s.extraction_started_at = CASE
    WHEN row.started IS NULL THEN s.extraction_started_at
    ELSE datetime(row.started)
  END,
  s.extraction_completed_at = CASE
    WHEN row.completed IS NULL THEN s.extraction_completed_at
    ELSE datetime(row.completed)
  END
RETURN s.id AS id
