// Sources that their owner wants gone, or that their file is not read as any more: nobody reads them from now on, so the
// next extraction lets go of what they alone make. Nothing is deleted; the audit says who did it, and
// restore_sources takes it back.
// Rails, where the knife is: not kept forever, not core; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.removed_at IS NULL
  AND s.ttl_policy <> 'keep_forever'
  AND s.state <> 'core'
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.id,
  a.label = 'Source',
  a.action = 'remove',
  a.reason = row.reason,
  a.rails_checked = ['is_kept_forever', 'is_core'],
  a.seen_state = s.state,
  a.seen_ttl_policy = s.ttl_policy,
  a.at = datetime($now),
  s.removed_at = datetime($now),
  s.removed_by = row.removed_by,
  s.readers = []
RETURN row.id AS id
