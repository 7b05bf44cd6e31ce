// That storylines follow what has changed of these.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id, user_id: $user_id})
SET m.untold = null
RETURN m.id AS id
