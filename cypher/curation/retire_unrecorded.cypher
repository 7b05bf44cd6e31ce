// Retire records that no source has any more, with an audit that can bring them back. What refers to one waits for it again.
// Rails, again where the knife is (may_retire, passes_rails); a retirement gives no day of grace, so that new is what is born later.
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
  AND @passes_rails(m, $now)
@retirement_audit(m)
WITH row, m
OPTIONAL MATCH (m)-[:REFERS_TO|LEARNED_FROM {user_id: $user_id}]->(target:Memory)
SET @becomes_due(target)
WITH DISTINCT row, m
OPTIONAL MATCH (m)<-[:REFERS_TO|LEARNED_FROM {user_id: $user_id}]-(other:Memory)
SET other.unlinked = $user_id,
  @becomes_due(other)
WITH DISTINCT row, m
DETACH DELETE m
RETURN row.id AS id
