// That the memories which were retired are out of the scores of the others.
// mode: write
// params: user_id
// returns: id
MATCH (a:CurationAudit {unscored: $user_id})
SET a.unscored = null
RETURN a.id AS id
