// The cleaned words of some sources that a user may read; each with its mark (list_sources).
// mode: read
// params: ids, user_ids
// returns: id, mark, started_at, project, turns, content
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE @may_read(s)
  AND @source_in_use(s)
OPTIONAL MATCH (s)-[:HAS_CONTENT]->(content:SourceText)
OPTIONAL MATCH (s)-[:HAS_TURNS]->(turns:SourceText)
RETURN s.id AS id,
  coalesce(s.processed_fingerprint, '') + '/' + coalesce(toString(s.started_at), '')
    + coalesce('/' + s.project, '') AS mark,
  s.started_at AS started_at, s.project AS project, coalesce(turns.text, '[]') AS turns, coalesce(content.text, '') AS content
