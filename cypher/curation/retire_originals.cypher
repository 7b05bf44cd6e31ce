// Remove the originals of sources that are not to be kept any more: texts, no memory of which a rail knows.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})-[:HAS_ORIGINAL_CONTENT]->(original:SourceText)
WITH s.id AS id, original
DETACH DELETE original
RETURN id
