// Which manifests list a memory that another one stands for: they list that, where the other stood.
// mode: write
// params: rows, user_id
// returns: id, moved
UNWIND $rows AS row
MATCH (gone:Memory {id: row.id})
WHERE gone.user_id = $user_id
  AND @was_merged(gone, row.audit_id)
MATCH (kept:Memory {id: row.kept_id})
WHERE kept.user_id = $user_id
MATCH (b:BoundedMemoryManifest {user_id: $user_id})-[r:LISTS]->(gone)
MERGE (b)-[k:LISTS]->(kept)
ON CREATE SET k += properties(r)
WITH row, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN row.id AS id, size(links) AS moved
