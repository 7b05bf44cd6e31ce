// Sources as they were stored before their texts had nodes of their own.
MATCH (s:Source {user_id: $user_id})
WHERE s.id IN $ids
SET s.content = '',
  s.turns = '[]'
WITH s
MATCH (s)-[:HAS_RAW_CONTENT|HAS_ORIGINAL_CONTENT|HAS_CONTENT|HAS_TURNS]->(t:SourceText)
SET s.raw_content = CASE WHEN t.kind = 'raw_content' THEN t.text ELSE s.raw_content END,
  s.original_content = CASE WHEN t.kind = 'original_content' THEN t.text ELSE s.original_content END,
  s.content = CASE WHEN t.kind = 'content' THEN t.text ELSE s.content END,
  s.turns = CASE WHEN t.kind = 'turns' THEN t.text ELSE s.turns END
DETACH DELETE t
