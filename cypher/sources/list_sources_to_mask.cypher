// Sources that another version of the detector has looked at, or none: a page of them.
// mode: read
// params: user_id, version, limit
// returns: id, source_type, title, raw_content, content_hash, participants, owner_speaker, path, provenance, masked_as, grows
MATCH (s:Source {user_id: $user_id})
WHERE (s.masked_with IS NULL OR s.masked_with <> $version)
  AND EXISTS { MATCH (s)-[:HAS_RAW_CONTENT]->(:SourceText) }
WITH s
ORDER BY s.id
LIMIT $limit
MATCH (s)-[:HAS_RAW_CONTENT]->(raw:SourceText)
RETURN s.id AS id, s.source_type AS source_type, s.title AS title, raw.text AS raw_content,
  s.content_hash AS content_hash, s.participants AS participants, s.owner_speaker AS owner_speaker,
  s.path AS path, s.provenance AS provenance, s.masked_as AS masked_as, coalesce(s.grows, false) AS grows
