// Retire contexts whose source is gone, or no longer the user's to read, or that have expired unread, with an audit. What
// they said can be made again from the source.
// Rails, again where the knife is: not kept forever, not core, never accessed; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (c:CompressedContext {id: row.id})
WHERE c.user_id = $user_id
  AND c.ttl_policy <> 'keep_forever'
  AND c.state <> 'core'
  AND c.access_count = 0
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.id,
  a.label = row.label,
  a.action = 'retire',
  a.reason = row.reason,
  a.snapshot = row.snapshot,
  a.rails_checked = ['is_kept_forever', 'is_core', 'was_recalled'],
  a.seen_state = c.state,
  a.seen_ttl_policy = c.ttl_policy,
  a.seen_access_count = c.access_count,
  a.at = datetime($now)
WITH row, c
DETACH DELETE c
RETURN row.id AS id
