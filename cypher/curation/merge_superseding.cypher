// What supersedes a statement that another one stands for, moved to that; it is judged again.
// mode: write
// params: rows, user_id
// returns: id, moved
UNWIND $rows AS row
MATCH (gone:Memory {id: row.id})
WHERE gone.user_id = $user_id
  AND @was_merged(gone, row.audit_id)
MATCH (kept:Memory {id: row.kept_id})
WHERE kept.user_id = $user_id
MATCH (o:KnowledgeChunk)-[r:SUPERSEDES {user_id: $user_id}]->(gone)
WHERE o.id <> row.kept_id
MERGE (o)-[k:SUPERSEDES {user_id: $user_id}]->(kept)
ON CREATE SET k += properties(r)
SET o.unjudged = $user_id
WITH row, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN row.id AS id, size(links) AS moved
