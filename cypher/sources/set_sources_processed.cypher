// Sources as people and models read them (specification 004, Phase 1). Not if the source has
// changed since it was read: then it is due again.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.content_hash = row.content_hash
  AND s.title = row.title
  AND (s.started_at = datetime(row.started_at) OR (s.started_at IS NULL AND row.started_at IS NULL))
SET s.speakers = row.speakers,
  s.addresses = row.addresses,
  s.summary = row.summary,
  s.keywords = row.keywords,
  s.tags = row.tags,
  s.embedding = row.embedding,
  s.embedder = row.embedder,
  s.model = row.model,
  s.token_count = row.token_count,
  s.processed_fingerprint = row.processed_fingerprint,
  s.processed_recipe = row.processed_recipe,
  s.text_fingerprint = row.text_fingerprint,
  s.processing_status = 'processed',
  s.processing_error = null,
  s.processing_attempts = null,
  s.failed_recipe = null,
  s.next_attempt_at = null,
  s.unscored = CASE WHEN s.team_id IS NULL THEN $user_id ELSE null END,
  s.processing_started_at = datetime(row.started),
  s.processing_completed_at = datetime(row.completed),
  s.updated_at = datetime(row.completed)
MERGE (content:SourceText {id: row.content_id, user_id: $user_id})
SET content.kind = 'content',
  content.text = row.content
MERGE (s)-[:HAS_CONTENT]->(content)
MERGE (turns:SourceText {id: row.turns_id, user_id: $user_id})
SET turns.kind = 'turns',
  turns.text = row.turns
MERGE (s)-[:HAS_TURNS]->(turns)
@contexts_unmade(s)
WITH s
OPTIONAL MATCH (s)-[m:MENTIONS]->(n:Memory)
SET n.untold_from_at = CASE
    WHEN n.untold IS NULL OR s.started_at < n.untold_from_at THEN s.started_at
    WHEN s.started_at IS NULL THEN null
    ELSE n.untold_from_at
  END,
  n.untold = m.user_id
RETURN DISTINCT s.id AS id
