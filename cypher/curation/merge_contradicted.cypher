// What a statement contradicts that another one stands for, moved to that; it is judged again.
// mode: write
// params: rows, user_id
// returns: id, moved
UNWIND $rows AS row
MATCH (gone:Memory {id: row.id})
WHERE gone.user_id = $user_id
  AND @was_merged(gone, row.audit_id)
MATCH (kept:Memory {id: row.kept_id})
WHERE kept.user_id = $user_id
MATCH (gone)-[r:CONTRADICTS {user_id: $user_id}]->(o:KnowledgeChunk)
WHERE o.id <> row.kept_id
MERGE (kept)-[k:CONTRADICTS {user_id: $user_id}]->(o)
ON CREATE SET k += properties(r)
SET o.unjudged = $user_id
WITH row, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN row.id AS id, size(links) AS moved
