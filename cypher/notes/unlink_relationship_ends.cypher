// Unlink relationships from anchors that their names do not mean (any more).
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (r:Relationship {id: row.id, user_id: $user_id})
OPTIONAL MATCH (f:AnchorName {name_id: coalesce(r.from_name_id, ''), user_id: $user_id})
OPTIONAL MATCH (t:AnchorName {name_id: coalesce(r.to_name_id, ''), user_id: $user_id})
WITH r, coalesce(f.resolved_id, r.from_name_id) AS from_id, coalesce(t.resolved_id, r.to_name_id) AS to_id
MATCH (r)-[e:RELATES_FROM|RELATES_TO]->(n:Memory)
WHERE (type(e) = 'RELATES_FROM' AND n.id <> from_id) OR (type(e) = 'RELATES_TO' AND n.id <> to_id)
WITH r.id AS id, collect(e) AS links
FOREACH (e IN links | DELETE e)
RETURN id, size(links) AS removed
