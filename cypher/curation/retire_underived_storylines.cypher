// Retire storylines that the sources no longer make up, with an audit that can bring them back.
// Rails, checked again as it deletes: not `keep_forever`, not core, never recalled; unknown forbids it.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Storyline {id: row.id, user_id: $user_id})
WHERE @may_retire(s)
@retirement_audit(s)
SET a.unscored = $user_id
WITH row, s
OPTIONAL MATCH (s)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
DETACH DELETE v, s
RETURN row.id AS id
