// Retire macros that the storylines no longer make up, with an audit that can bring them back.
// Rails, checked again as it deletes: not `keep_forever`, not core, never recalled; unknown forbids it.
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
