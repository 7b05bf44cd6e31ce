// Records from those that they refer to no longer.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
MATCH (m)-[r:REFERS_TO|LEARNED_FROM {user_id: $user_id}]->(o:Memory)
WHERE (type(r) = 'REFERS_TO' AND NOT r.name IN row.refers_to)
  OR (type(r) = 'LEARNED_FROM' AND NOT r.name IN row.learned_from)
SET @becomes_due(o)
WITH row.id AS id, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN id
