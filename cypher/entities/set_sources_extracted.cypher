// A user's own sources whose extraction stands (004, Status Flow). A team's source stays 'processed': each
// member's Extraction says how far that member is.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.processing_status = 'processed'
SET s.processing_status = 'extracted'
RETURN s.id AS id
