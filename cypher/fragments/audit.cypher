// What curation writes down of what it does, in the transaction that does it: the audit is a.
// takes: memory_id, label, action
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = memory_id,
  a.label = label,
  a.action = action,
  a.reason = row.reason,
  a.snapshot = row.snapshot,
  a.at = datetime($now)
