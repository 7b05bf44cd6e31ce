// Take full contexts out of where they stood, before they are put where they stand now. Links only.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (c:CompressedContext {id: row.id})
WHERE c.user_id = $user_id
MATCH (c)-[r:FOLLOWS|PART_OF]->(o:CompressedContext)
WHERE o.user_id = $user_id
DELETE r
RETURN row.id AS id
