// What was learned from a record that another one stands for: it was learned from that. Not itself.
// mode: write
// params: rows, user_id
// returns: id, moved
UNWIND $rows AS row
MATCH (gone:Memory {id: row.id})
WHERE gone.user_id = $user_id
  AND @was_merged(gone, row.audit_id)
MATCH (kept:Memory {id: row.kept_id})
WHERE kept.user_id = $user_id
MATCH (o:Memory)-[r:LEARNED_FROM {user_id: $user_id}]->(gone)
WHERE o.id <> row.kept_id
MERGE (o)-[k:LEARNED_FROM {user_id: $user_id}]->(kept)
ON CREATE SET k += properties(r)
WITH row, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN row.id AS id, size(links) AS moved
