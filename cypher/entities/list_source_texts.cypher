// The cleaned text of the sources of one batch, as a model reads it.
// mode: read
// params: ids, user_ids
// returns: id, owner, source_type, title, started_at, owner_speaker, content, turns, addresses
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE @may_read(s)
OPTIONAL MATCH (s)-[:HAS_CONTENT]->(content:SourceText)
OPTIONAL MATCH (s)-[:HAS_TURNS]->(turns:SourceText)
RETURN s.id AS id, s.user_id AS owner, s.source_type AS source_type, s.title AS title,
  s.started_at AS started_at, s.owner_speaker AS owner_speaker, coalesce(content.text, '') AS content, coalesce(turns.text, '[]') AS turns,
  coalesce(s.addresses, []) AS addresses
ORDER BY started_at, id
