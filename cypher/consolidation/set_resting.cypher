// When sources that were looked at, and have become nothing, are to be looked at again by themselves.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
SET m.rest_key = row.rest_key
RETURN m.id AS id
