// Retire people, concepts and entities that no source names any more, with an audit that can bring them back.
// Rails, checked again as it deletes: not `keep_forever`, not core, never recalled; unknown forbids it.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
WHERE (n:Person OR n:Concept OR n:Entity)
  AND coalesce(n.is_owner, false) = false
  AND NOT EXISTS { MATCH (n)<-[:MENTIONS {user_id: $user_id}]-(:Source) }
  AND @may_retire(n)
@retirement_audit(n)
SET a.untold = $user_id
WITH row, n
@leaves_notes(n)
OPTIONAL MATCH (n)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
DETACH DELETE v, n
RETURN row.id AS id
