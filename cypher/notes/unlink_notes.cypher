// Unlink notes from anchors that their names do not mean (any more): these are to be described without them.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id, now
// returns: id, removed
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
WHERE n.name_id IS NOT NULL
OPTIONAL MATCH (a:AnchorName {name_id: coalesce(n.name_id, ''), user_id: $user_id})
WITH n, coalesce(a.resolved_id, n.name_id) AS anchor_id
MATCH (m:Memory)-[h:HAS_NOTE {user_id: $user_id}]->(n)
WHERE m.id <> anchor_id
WITH n.id AS id, collect(h) AS links, collect(m) AS subjects
FOREACH (m IN subjects | SET @becomes_dirty(m, $now))
FOREACH (h IN links | DELETE h)
RETURN id, size(links) AS removed
