// Retire storylines that the sources no longer make up, with an audit that can bring them back.
// Rails, again where the knife is: not kept forever, not core, never recalled; unknown means keep.
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
