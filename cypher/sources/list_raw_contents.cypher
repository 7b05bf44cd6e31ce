// The given sources as they were found.
// mode: read
// params: ids, user_id
// returns: id, source_type, title, started_at, owner_speaker, content_hash, raw_content, has_original
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
OPTIONAL MATCH (s)-[:HAS_RAW_CONTENT]->(raw:SourceText)
OPTIONAL MATCH (s)-[:HAS_ORIGINAL_CONTENT]->(original:SourceText)
RETURN s.id AS id, s.source_type AS source_type, s.title AS title, s.started_at AS started_at,
  s.owner_speaker AS owner_speaker, s.content_hash AS content_hash, raw.text AS raw_content,
  original.id IS NOT NULL AS has_original
