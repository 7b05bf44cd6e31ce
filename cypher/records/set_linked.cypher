// Records that are linked to all that they refer to.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
SET m.unlinked = null
RETURN m.id AS id
