// Whom names mean, why, and who said so.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (a:AnchorName {id: row.key, user_id: $user_id})
SET a.resolved_id = row.resolved_id,
  a.resolved_ids = row.resolved_ids,
  a.decided_by = row.decided_by,
  a.reason = row.reason
RETURN a.name_id AS id
