// The cleaned words of some sources that a user may read.
// mode: read
// params: ids, user_ids
// returns: id, turns, content
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE @may_read(s)
  AND @source_in_use(s)
OPTIONAL MATCH (s)-[:HAS_CONTENT]->(content:SourceText)
OPTIONAL MATCH (s)-[:HAS_TURNS]->(turns:SourceText)
RETURN s.id AS id, coalesce(turns.text, '[]') AS turns, coalesce(content.text, '') AS content
