// Unlink storylines from sources that they no longer include. Links only: no memory goes here.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (t:Storyline {id: row.id, user_id: $user_id})
MATCH (t)-[i:INCLUDES]->(s:Source)
WHERE s.id IN row.gone_ids
WITH row.id AS id, collect(i) AS links
FOREACH (i IN links | DELETE i)
RETURN id, size(links) AS removed
