// Sources with their secrets masked once more. One that changes by it is raw again, and what was made of it is empty
// until it is made anew; one that does not change is only known to have been looked at.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
SET s.raw_size = row.raw_size,
  s.content_hash = row.content_hash,
  s.title = row.title,
  s.participants = row.participants,
  s.participant_keys = row.reader_keys,
  s.readers = CASE WHEN s.removed_at IS NOT NULL THEN [] WHEN s.sensitivity = 'high' AND s.team_id IS NOT NULL THEN coalesce(row.reader_keys, []) ELSE null END,
  s.owner_speaker = row.owner_speaker,
  s.path = row.path,
  s.provenance = row.provenance,
  s.masked_as = row.masked_as,
  s.masked = row.masked,
  s.masked_count = row.masked_count,
  s.masked_with = row.version,
  s.personal_data = row.personal_data,
  s.processing_status = CASE WHEN row.changed THEN 'raw' ELSE s.processing_status END,
  s.summary = CASE WHEN row.changed THEN '' ELSE s.summary END,
  s.keywords = CASE WHEN row.changed THEN [] ELSE s.keywords END,
  s.tags = CASE WHEN row.changed THEN [] ELSE s.tags END,
  s.embedding = CASE WHEN row.changed THEN null ELSE s.embedding END,
  s.updated_at = CASE WHEN row.changed THEN datetime(row.updated_at) ELSE s.updated_at END
MERGE (raw:SourceText {id: row.raw_content_id, user_id: $user_id})
SET raw.kind = 'raw_content',
  raw.text = row.raw_content
MERGE (s)-[:HAS_RAW_CONTENT]->(raw)
WITH s, row
CALL (s, row) {
  WITH s, row
  WHERE row.original_content IS NOT NULL
  MERGE (original:SourceText {id: row.original_content_id, user_id: $user_id})
  ON CREATE SET original.kind = 'original_content',
    original.text = row.original_content
  MERGE (s)-[:HAS_ORIGINAL_CONTENT]->(original)
}
CALL (s, row) {
  WITH s, row
  WHERE row.changed
  MATCH (s)-[:HAS_CONTENT]->(content:SourceText)
  SET content.text = ''
}
CALL (s, row) {
  WITH s, row
  WHERE row.changed
  MATCH (s)-[:HAS_TURNS]->(turns:SourceText)
  SET turns.text = '[]'
}
RETURN s.id AS id
