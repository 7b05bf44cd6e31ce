// Which names a batch's sources used by earlier extractions: those that nobody uses any more go.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[m:MENTIONS]->(n:Memory)
WHERE m.user_id = $user_id AND n.user_id = $user_id AND m.name_id IS NOT NULL
RETURN DISTINCT m.name_id AS id
ORDER BY id
