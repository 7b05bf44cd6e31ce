// Retire statements that no source makes any more, with an audit that can bring them back, and that says whether the user's
// own sources alone made them.
// What it superseded or contradicted is judged again: it may hold once more.
// Rails, checked again as it deletes: not `keep_forever`, not core, never recalled; unknown forbids it.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
WHERE NOT EXISTS { MATCH (c)<-[:STATES {user_id: $user_id}]-(:Source) }
  AND @may_retire(c)
@retirement_audit(c)
SET a.unscored = $user_id,
  a.unjudged = $user_id,
  a.is_own = coalesce(row.is_own, false)
WITH row, c
OPTIONAL MATCH (c)-[x]-(o:KnowledgeChunk)
WHERE type(x) IN ['SUPERSEDES', 'CONTRADICTS']
SET o.unjudged = $user_id
WITH DISTINCT row, c
OPTIONAL MATCH (c)-[:HAS_VALUE]->(v:ValueClassification {user_id: $user_id})
DETACH DELETE v, c
RETURN row.id AS id
