// That the memories of these audits are out of the scores of the others.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (a:CurationAudit {id: row.id, user_id: $user_id})
SET a.unscored = null
RETURN a.id AS id
