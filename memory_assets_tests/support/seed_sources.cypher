// Processed sources as the stage before leaves them, for tests that start after it.
UNWIND $rows AS row
MERGE (s:Memory:Source {id: row.id, user_id: row.user_id})
SET s.source_type = 'conversation',
  s.title = row.title,
  s.content_hash = row.id,
  s.started_at = CASE WHEN row.started_at IS NULL THEN null ELSE datetime(row.started_at) END,
  s.owner_speaker = row.owner_speaker,
  s.processing_status = row.processing_status,
  s.processed_fingerprint = row.processed_fingerprint,
  s.text_fingerprint = row.text_fingerprint,
  s.speakers = row.speakers,
  s.summary = row.summary,
  s.embedding = row.embedding,
  s.embedder = row.embedder,
  s.state = 'candidate',
  s.ttl_policy = 'decay',
  s.access_count = 0,
  s.unaged = row.user_id,
  s.unscored = CASE WHEN row.user_id STARTS WITH 'team-' THEN null ELSE row.user_id END,
  s.ingested_at = CASE WHEN row.ingested_at IS NULL THEN s.ingested_at ELSE datetime(row.ingested_at) END,
  s.created_at = coalesce(s.created_at, datetime(coalesce(row.created_at, '2026-01-01T00:00:00Z')))
MERGE (content:SourceText {id: row.content_id})
SET content.user_id = row.user_id,
  content.kind = 'content',
  content.text = row.content
MERGE (s)-[:HAS_CONTENT]->(content)
MERGE (turns:SourceText {id: row.turns_id})
SET turns.user_id = row.user_id,
  turns.kind = 'turns',
  turns.text = row.turns
MERGE (s)-[:HAS_TURNS]->(turns)
