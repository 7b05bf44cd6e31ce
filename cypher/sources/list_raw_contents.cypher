// The given sources as they were found.
// mode: read
// params: ids, user_id
// returns: id, source_type, title, started_at, owner_speaker, content_hash, raw_content, has_original
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
RETURN s.id AS id, s.source_type AS source_type, s.title AS title, s.started_at AS started_at,
  s.owner_speaker AS owner_speaker, s.content_hash AS content_hash, s.raw_content AS raw_content,
  s.original_content IS NOT NULL AS has_original
