// Retire records that no source has any more, with an audit that can bring them back. What refers to one waits for it again.
// Rails, again where the knife is: not kept forever, not core, never recalled; no open task, no session that goes on, no
// belief that is held for sure, no reflection that was not consolidated, nothing that four agents refer to; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
  AND m.record_kind IS NOT NULL
  AND @is_living(m)
  AND NOT EXISTS { MATCH (m)-[:RECORDED_IN {user_id: $user_id}]->(:Source) }
  AND @may_retire(m)
  AND (NOT m:Task OR coalesce(m.status, '') IN ['completed', 'failed', 'cancelled'])
  AND (NOT m:SessionContext OR coalesce(m.active, true) = false)
  AND (NOT m:Belief OR m.state <> 'active' OR coalesce(m.confidence, 1.0) < 0.9)
  AND (NOT m:Reflection OR coalesce(m.consolidated, false) = true)
OPTIONAL MATCH (m)<-[:REFERS_TO {user_id: $user_id}]-(referring:Memory)
WITH row, m, count(DISTINCT referring.agent) AS agents
WHERE agents < 4
@retirement_audit(m)
WITH row, m
OPTIONAL MATCH (m)-[:REFERS_TO|LEARNED_FROM {user_id: $user_id}]->(told:Memory)
SET @becomes_due(told)
WITH DISTINCT row, m
OPTIONAL MATCH (m)<-[:REFERS_TO|LEARNED_FROM {user_id: $user_id}]-(other:Memory)
SET other.unlinked = $user_id,
  @becomes_due(other)
WITH DISTINCT row, m
DETACH DELETE m
RETURN row.id AS id
