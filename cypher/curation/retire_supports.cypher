// Unlink sources from relationships that a step does not find in them any more. Links only: no memory goes here.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: source_id, removed
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MATCH (s)-[p:SUPPORTS {user_id: $user_id, step: row.step}]->(r:Relationship)
WHERE NOT r.id IN row.kept_ids
WITH row.source_id AS source_id, collect(p) AS links
FOREACH (p IN links | DELETE p)
RETURN source_id, size(links) AS removed
