// The source that contexts were made from, if the user may read it.
// mode: read
// params: id, user_ids
// returns: id, ref, owner, kind, title, path, started_at, is_archived, summary, content
MATCH (s:Source {id: $id})
WHERE @may_read(s)
  AND @source_in_use(s)
OPTIONAL MATCH (s)-[:HAS_CONTENT]->(content:SourceText)
RETURN s.id AS id, s.ref AS ref, s.user_id AS owner, s.source_type AS kind, s.title AS title, s.path AS path,
  s.started_at AS started_at, NOT (@in_use(s)) AS is_archived, coalesce(s.summary, '') AS summary,
  coalesce(content.text, '') AS content
