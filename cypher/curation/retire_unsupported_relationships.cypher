// Retire relationships that no source supports any more, with an audit that can bring them back.
// Rails, again where the knife is: not kept forever, not core, never recalled; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (r:Relationship {id: row.id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (r)<-[:SUPPORTS {user_id: $user_id}]-(:Source) }
  AND r.ttl_policy <> 'keep_forever'
  AND r.state <> 'core'
  AND r.access_count = 0
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.id,
  a.label = row.label,
  a.action = 'retire',
  a.reason = row.reason,
  a.snapshot = row.snapshot,
  a.rails_checked = ['is_kept_forever', 'is_core', 'was_recalled'],
  a.seen_state = r.state,
  a.seen_ttl_policy = r.ttl_policy,
  a.seen_access_count = r.access_count,
  a.at = datetime($now)
WITH row, r
DETACH DELETE r
RETURN row.id AS id
