// The cleaned words of some sources that a user may read.
// mode: read
// params: ids, user_ids
// returns: id, turns, content
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
  AND coalesce(s.state, 'candidate') <> 'archived'
OPTIONAL MATCH (s)-[:HAS_CONTENT]->(content:SourceText)
OPTIONAL MATCH (s)-[:HAS_TURNS]->(turns:SourceText)
RETURN s.id AS id, coalesce(turns.text, '[]') AS turns, coalesce(content.text, '') AS content
