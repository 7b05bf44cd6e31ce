// Retire storylines that the sources no longer make up, with an audit that can bring them back.
// Rails, again where the knife is: not kept forever, not core, never recalled; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Storyline {id: row.id, user_id: $user_id})
WHERE s.ttl_policy <> 'keep_forever'
  AND s.state <> 'core'
  AND s.access_count = 0
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.id,
  a.label = row.label,
  a.action = 'retire',
  a.reason = row.reason,
  a.snapshot = row.snapshot,
  a.rails_checked = ['is_kept_forever', 'is_core', 'was_recalled'],
  a.seen_state = s.state,
  a.seen_ttl_policy = s.ttl_policy,
  a.seen_access_count = s.access_count,
  a.unscored = $user_id,
  a.at = datetime($now)
WITH row, s
OPTIONAL MATCH (s)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
DETACH DELETE v, s
RETURN row.id AS id
