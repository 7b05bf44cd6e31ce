// Remove audits whose time is over. They are no memories: from now on, what they held cannot be brought back.
// mode: write
// params: rows, user_id, before
// returns: id
UNWIND $rows AS row
MATCH (a:CurationAudit {id: row.id})
WHERE a.user_id = $user_id
  AND a.at < datetime($before)
WITH a, a.id AS id
DETACH DELETE a
RETURN id
