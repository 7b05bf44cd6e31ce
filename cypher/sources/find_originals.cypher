// What is stored of growing sources before it was masked; where nothing was masked, what is stored.
// mode: read
// params: ids, user_id
// returns: id, original_content
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
MATCH (s)-[:HAS_RAW_CONTENT]->(raw:SourceText)
OPTIONAL MATCH (s)-[:HAS_ORIGINAL_CONTENT]->(original:SourceText)
RETURN s.id AS id, coalesce(original.text, raw.text) AS original_content
