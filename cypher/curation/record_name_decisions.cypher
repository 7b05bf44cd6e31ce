// Who decided that two names mean one person, or two: kept beside what is retired.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.memory_id,
  a.label = 'Person',
  a.action = row.action,
  a.reason = row.reason,
  a.snapshot = row.snapshot,
  a.at = datetime($now)
RETURN a.id AS id
