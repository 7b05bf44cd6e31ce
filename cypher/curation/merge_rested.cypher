// Which notes rest on a statement that another one stands for: they rest on that.
// mode: write
// params: rows, user_id
// returns: id, moved
UNWIND $rows AS row
MATCH (gone:Memory {id: row.id})
WHERE gone.user_id = $user_id
  AND @was_merged(gone, row.audit_id)
MATCH (kept:Memory {id: row.kept_id})
WHERE kept.user_id = $user_id
MATCH (n:Note)-[r:RESTS_ON {user_id: $user_id}]->(gone)
MERGE (n)-[k:RESTS_ON {user_id: $user_id, consolidation_id: coalesce(r.consolidation_id, '')}]->(kept)
ON CREATE SET k += properties(r)
WITH row, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN row.id AS id, size(links) AS moved
