// Unlink macros from storylines that they no longer group. Links only: no memory goes here.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (m:Macro {id: row.id, user_id: $user_id})
MATCH (m)-[g:GROUPS]->(t:Storyline)
WHERE NOT t.id IN row.kept_ids
WITH row.id AS id, collect(g) AS links
FOREACH (g IN links | DELETE g)
RETURN id, size(links) AS removed
