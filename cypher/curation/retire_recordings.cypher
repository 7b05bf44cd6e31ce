// Unlink records from sources that do not have them any more; curation looks at these again. Links only: no memory goes here.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
@owned_memory(row.id)
MATCH (m)-[r:RECORDED_IN {user_id: $user_id}]->(s:Source {user_id: $user_id})
WHERE s.id IN row.gone_ids
WITH row.id AS id, m, collect(r) AS links
SET @becomes_due(m)
FOREACH (r IN links | DELETE r)
RETURN id, size(links) AS removed
