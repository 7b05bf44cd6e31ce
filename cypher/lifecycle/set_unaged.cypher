// Have memories of a user name their days anew: other rules have others.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
SET m.unaged = $user_id
RETURN m.id AS id
