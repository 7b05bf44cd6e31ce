// That memories are scored as they are.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id, user_id: $user_id})
SET m.unscored = null
RETURN m.id AS id
