// Remove the originals of sources that are not to be stored any more: texts, no memory of which a rail knows.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})-[:HAS_ORIGINAL_CONTENT]->(original:SourceText)
WITH s.id AS id, collect(original) AS originals
FOREACH (original IN originals | DETACH DELETE original)
RETURN id
