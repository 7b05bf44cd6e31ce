// Statements have been compared with the others.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
SET m.uncompared = null
RETURN m.id AS id
