// Retire statements that no source makes any more, with an audit that can bring them back.
// Rails, again where the knife is: not kept forever, not core, never recalled; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (c)<-[:STATES {user_id: $user_id}]-(:Source) }
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
  a.unscored = $user_id,
  a.at = datetime($now)
WITH row, c
OPTIONAL MATCH (c)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
DETACH DELETE v, c
RETURN row.id AS id
