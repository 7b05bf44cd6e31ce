// What was retired has left the index of statements.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (a:CurationAudit {id: row.id, user_id: $user_id})
SET a.unjudged = null
RETURN a.id AS id
