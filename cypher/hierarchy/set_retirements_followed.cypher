// That storylines follow what these audits retired.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (a:CurationAudit {id: row.id, user_id: $user_id})
SET a.untold = null
RETURN a.id AS id
