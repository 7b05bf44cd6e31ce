// Unlink sources from statements that their latest extraction no longer makes.
// Links only: no memory goes here. One that a rail keeps although nothing makes it any more is valued no longer.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: source_id, removed
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE c.user_id = $user_id
  AND NOT c.id IN row.kept_ids
SET c.unscored = $user_id,
  c.unjudged = $user_id
WITH row.source_id AS source_id, collect(r) AS links
FOREACH (r IN links | DELETE r)
RETURN source_id, size(links) AS removed
