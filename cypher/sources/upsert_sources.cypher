// Sources as they were found (specification 004, Phase 0). Idempotent by id, which follows from the content.
// What two files of one content can disagree about is what their names say: the smallest wins, so that it
// does not matter which of them came first. A source that can still grow is changed by set_source_contents.
// mode: write
// params: rows, user_id
// returns: id, content_hash
UNWIND $rows AS row
MERGE (s:Memory:Source {id: row.id, user_id: $user_id})
ON CREATE SET
  s.ref = row.ref,
  s.team_id = row.team_id,
  s.source_type = row.source_type,
  s.title = row.title,
  s.raw_content = row.raw_content,
  s.raw_size = row.raw_size,
  s.content_hash = row.content_hash,
  s.started_at = CASE WHEN row.started_at IS NULL THEN null ELSE datetime(row.started_at) END,
  s.ended_at = CASE WHEN row.ended_at IS NULL THEN null ELSE datetime(row.ended_at) END,
  s.participants = row.participants,
  s.owner_speaker = row.owner_speaker,
  s.path = row.path,
  s.provenance = row.provenance,
  s.message_id = row.message_id,
  s.in_reply_to = row.in_reply_to,
  s.thread_id = row.thread_id,
  s.conversation_id = row.conversation_id,
  s.channel = row.channel,
  s.processing_status = row.status,
  s.content = '',
  s.turns = '[]',
  s.summary = '',
  s.keywords = [],
  s.tags = [],
  s.token_count = 0,
  s.confidence = 1.0,
  s.salience = 0.5,
  s.state = row.state,
  s.sensitivity = 'normal',
  s.ttl_policy = 'decay',
  s.access_count = 0,
  s.recall_frequency = 0,
  s.last_recall_interval = 0,
  s.decay_gradient = 1.0,
  s.created_at = datetime(row.created_at),
  s.updated_at = datetime(row.created_at)
WITH s, row,
  CASE WHEN NOT row.grows AND row.title < s.title THEN row.title ELSE s.title END AS title,
  CASE WHEN row.path < s.path THEN row.path ELSE s.path END AS path,
  CASE WHEN row.provenance < s.provenance THEN row.provenance ELSE s.provenance END AS provenance,
  CASE
    WHEN row.grows OR row.started_at IS NULL THEN s.started_at
    WHEN s.started_at IS NULL THEN datetime(row.started_at)
    WHEN datetime(row.started_at) < s.started_at THEN datetime(row.started_at)
    ELSE s.started_at
  END AS started_at
WITH s, row, title, path, provenance, started_at,
  title <> s.title OR (started_at IS NOT NULL AND (s.started_at IS NULL OR started_at <> s.started_at)) AS changed
SET s.title = title,
  s.path = path,
  s.provenance = provenance,
  s.started_at = started_at,
  s.processing_status = CASE WHEN changed THEN 'raw' ELSE s.processing_status END,
  s.updated_at = CASE WHEN changed THEN datetime(row.created_at) ELSE s.updated_at END
RETURN s.id AS id, s.content_hash AS content_hash
