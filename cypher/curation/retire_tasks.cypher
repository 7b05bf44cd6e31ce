// Remove tasks that whoever gave them has taken back, with an audit that holds them whole.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (t:HeartbeatTask {id: row.id, user_id: $user_id})
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.id,
  a.label = 'HeartbeatTask',
  a.action = 'withdraw',
  a.reason = row.reason,
  a.snapshot = t.definition_json,
  a.at = datetime($now)
WITH row, t
DETACH DELETE t
RETURN row.id AS id
