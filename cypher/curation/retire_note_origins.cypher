// Unlink notes from sources of which a step does not take them any more. Links only: no memory goes here.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: source_id, removed
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MATCH (s)<-[t:TAKEN_FROM {user_id: $user_id, step: row.step}]-(n:Note)
WHERE NOT n.id IN row.kept_ids
WITH row.source_id AS source_id, collect(t) AS links
FOREACH (t IN links | DELETE t)
RETURN source_id, size(links) AS removed
