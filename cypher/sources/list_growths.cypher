// Some growing sources as they are, with what a row that changes their content needs.
// mode: read
// params: ids, user_id
// returns: id, source_type, content_hash, raw_content, provenance, reader_keys
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})-[:HAS_RAW_CONTENT]->(raw:SourceText)
RETURN s.id AS id, s.source_type AS source_type, s.content_hash AS content_hash, raw.text AS raw_content,
  s.provenance AS provenance, s.participant_keys AS reader_keys
