// The originals of growing sources, united as their masked contents are.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
MERGE (original:SourceText {id: row.original_content_id, user_id: $user_id})
SET original.kind = 'original_content',
  original.text = row.original_content
MERGE (s)-[:HAS_ORIGINAL_CONTENT]->(original)
RETURN s.id AS id
