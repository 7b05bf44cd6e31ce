// More of a source that had already arrived in part. Only if nobody has changed it since it was read. When it arrived before
// is kept, the last hundred times: what was asked for meanwhile knew that.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.content_hash = row.expected_hash
WITH s, row, coalesce(s.arrivals, [toString(coalesce(s.ingested_at, s.created_at))]) + [row.updated_at] AS arrivals
SET s.arrivals = arrivals[-100..]
SET s.raw_size = row.raw_size,
  s.content_hash = row.content_hash,
  s.title = row.title,
  s.started_at = CASE WHEN row.started_at IS NULL THEN null ELSE datetime(row.started_at) END,
  s.ended_at = CASE WHEN row.ended_at IS NULL THEN null ELSE datetime(row.ended_at) END,
  s.participants = row.participants,
  s.owner_speaker = row.owner_speaker,
  s.provenance = row.provenance,
  s.masked = row.masked,
  s.masked_count = row.masked_count,
  s.personal_data = row.personal_data,
  s.participant_keys = row.reader_keys,
  s.readers = @readers(s, s.removed_at IS NOT NULL, s.sensitivity, row.reader_keys),
  s.processing_status = 'raw',
  s.ingested_at = datetime(row.updated_at),
  s.unaged = CASE WHEN s.team_id IS NULL THEN $user_id ELSE null END,
  s.unscored = CASE WHEN s.team_id IS NULL THEN $user_id ELSE null END,
  s.updated_at = datetime(row.updated_at)
MERGE (raw:SourceText {id: row.raw_content_id, user_id: $user_id})
SET raw.kind = 'raw_content',
  raw.text = row.raw_content
MERGE (s)-[:HAS_RAW_CONTENT]->(raw)
@contexts_unmade(s)
RETURN s.id AS id
