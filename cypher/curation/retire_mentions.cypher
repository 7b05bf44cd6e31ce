// Unlink sources from anchors that their latest extraction no longer names. Links only: no memory goes here.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: source_id, removed
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(n:Memory)
WHERE n.user_id = $user_id
  AND NOT coalesce(m.name_id, '') IN row.kept_ids
WITH row.source_id AS source_id, collect(m) AS links
FOREACH (m IN links | DELETE m)
RETURN source_id, size(links) AS removed
