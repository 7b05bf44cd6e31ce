// Put sources out of use because whoever gave them has taken them back: they stay, nothing is made of them any more.
// Rails: not kept forever, not core; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.ttl_policy <> 'keep_forever'
  AND s.state <> 'core'
  AND s.state <> 'archived'
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.id,
  a.label = 'Source',
  a.action = 'withdraw',
  a.reason = row.reason,
  a.rails_checked = ['is_kept_forever', 'is_core'],
  a.seen_state = s.state,
  a.seen_ttl_policy = s.ttl_policy,
  a.seen_access_count = s.access_count,
  a.at = datetime($now)
SET s.state = 'archived',
  s.updated_at = datetime($now)
RETURN s.id AS id
