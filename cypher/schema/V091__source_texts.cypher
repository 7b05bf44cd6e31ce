// The texts of sources that were stored with them into nodes of their own. What another process has moved already stays
// as that has left it.
// mode: write
// params: rows
// returns: id
// owner: no, each text stays with the owner of its source
UNWIND $rows AS row
MATCH (s:Source {id: row.id})
CALL (s, row) {
  WITH s, row
  WHERE s.raw_content IS NOT NULL
  MERGE (raw:SourceText {id: row.raw_content_id})
  ON CREATE SET raw.user_id = s.user_id,
    raw.kind = 'raw_content',
    raw.text = s.raw_content
  MERGE (s)-[:HAS_RAW_CONTENT]->(raw)
}
CALL (s, row) {
  WITH s, row
  WHERE s.original_content IS NOT NULL
  MERGE (original:SourceText {id: row.original_content_id})
  ON CREATE SET original.user_id = s.user_id,
    original.kind = 'original_content',
    original.text = s.original_content
  MERGE (s)-[:HAS_ORIGINAL_CONTENT]->(original)
}
CALL (s, row) {
  WITH s, row
  WHERE s.content <> ''
  MERGE (content:SourceText {id: row.content_id})
  ON CREATE SET content.user_id = s.user_id,
    content.kind = 'content',
    content.text = s.content
  MERGE (s)-[:HAS_CONTENT]->(content)
}
CALL (s, row) {
  WITH s, row
  WHERE s.turns <> '[]'
  MERGE (turns:SourceText {id: row.turns_id})
  ON CREATE SET turns.user_id = s.user_id,
    turns.kind = 'turns',
    turns.text = s.turns
  MERGE (s)-[:HAS_TURNS]->(turns)
}
REMOVE s.raw_content, s.original_content, s.content, s.turns
RETURN s.id AS id
