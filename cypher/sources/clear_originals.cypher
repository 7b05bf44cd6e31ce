// Originals that are not to be kept any more.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
SET s.original_content = null
RETURN s.id AS id
