// Retire macros that the storylines no longer make up, with an audit that can bring them back.
// Rails, again where the knife is: not kept forever, not core, never recalled; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (m:Macro {id: row.id, user_id: $user_id})
WHERE @may_retire(m)
@retirement_audit(m)
SET a.unscored = $user_id
WITH row, m
OPTIONAL MATCH (m)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
DETACH DELETE v, m
RETURN row.id AS id
