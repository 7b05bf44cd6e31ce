// Retire people, concepts and entities that no source names any more, with an audit that can bring them back.
// Rails, again where the knife is: not kept forever, not core, never recalled; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
WHERE (n:Person OR n:Concept OR n:Entity)
  AND coalesce(n.is_owner, false) = false
  AND NOT EXISTS { MATCH (n)<-[:MENTIONS {user_id: $user_id}]-(:Source) }
  AND n.ttl_policy <> 'keep_forever'
  AND n.state <> 'core'
  AND n.access_count = 0
MERGE (a:CurationAudit {id: row.audit_id, user_id: $user_id})
SET a.memory_id = row.id,
  a.label = row.label,
  a.action = 'retire',
  a.reason = row.reason,
  a.snapshot = row.snapshot,
  a.rails_checked = ['is_kept_forever', 'is_core', 'was_recalled'],
  a.seen_state = n.state,
  a.seen_ttl_policy = n.ttl_policy,
  a.seen_access_count = n.access_count,
  a.at = datetime($now)
WITH row, n
OPTIONAL MATCH (n)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
DETACH DELETE v, n
RETURN row.id AS id
