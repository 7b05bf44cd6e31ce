// The originals of growing sources, united as their masked contents are.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
SET s.original_content = row.original_content
RETURN s.id AS id
