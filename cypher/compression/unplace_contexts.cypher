// Take full contexts out of their places, before they are put into their new ones. Links only.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_context(row.id)
MATCH (c)-[r:FOLLOWS|PART_OF]->(o:CompressedContext)
WHERE o.user_id = $user_id
WITH row.id AS id, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN id
