// Take back that sources were removed or withdrawn: whoever could read them reads them again, and the next run extracts
// them anew.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.removed_at IS NOT NULL OR s.state = 'archived'
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.id,
  a.label = 'Source',
  a.action = 'restore',
  a.reason = row.reason,
  a.at = datetime($now),
  s.state = CASE WHEN s.state = 'archived' THEN 'candidate' ELSE s.state END,
  s.removed_at = null,
  s.removed_by = null,
  s.readers = CASE WHEN s.sensitivity = 'high' AND s.team_id IS NOT NULL THEN coalesce(s.participant_keys, []) ELSE null END
RETURN row.id AS id
