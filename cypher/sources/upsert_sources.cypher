// Sources as they were found (specification 004, Phase 0). Idempotent by id, which follows from the content.
// What two files of one content can disagree about is what their names say: the smallest wins, so that it
// does not matter which of them came first. A source that can still grow is changed by set_source_contents, and is back by
// take_back_sources. What a reader has removed, or was withdrawn, is back when a file is read as it again; what its owner
// has removed is not. Its texts are in nodes of their own, which nothing reads that does not need them.
// mode: write
// params: rows, user_id
// returns: id, content_hash
UNWIND $rows AS row
CALL (row) {
  WITH row
  WHERE NOT EXISTS { MATCH (:Source {id: row.id}) }
  CREATE (:Memory:Source {
    id: row.id,
    user_id: $user_id,
    ref: row.ref,
    team_id: row.team_id,
    source_type: row.source_type,
    title: row.title,
    raw_size: row.raw_size,
    content_hash: row.content_hash,
    started_at: CASE WHEN row.started_at IS NULL THEN null ELSE datetime(row.started_at) END,
    ended_at: CASE WHEN row.ended_at IS NULL THEN null ELSE datetime(row.ended_at) END,
    participants: row.participants,
    participant_keys: row.reader_keys,
    owner_speaker: row.owner_speaker,
    path: row.path,
    provenance: row.provenance,
    message_id: row.message_id,
    in_reply_to: row.in_reply_to,
    ancestors: row.ancestors,
    links: row.links,
    thread_id: row.thread_id,
    conversation_id: row.conversation_id,
    channel: row.channel,
    project: row.project,
    project_is_given: row.project_is_given,
    grows: row.grows,
    processing_status: row.status,
    summary: '',
    keywords: [],
    tags: [],
    token_count: 0,
    confidence: 1.0,
    sensitivity: row.sensitivity,
    masked: row.masked,
    masked_count: row.masked_count,
    personal_data: row.personal_data,
    @new_memory(row.state, row.created_at),
    ingested_at: datetime(row.created_at),
    unaged: CASE WHEN row.team_id IS NULL THEN $user_id ELSE null END,
    unscored: CASE WHEN row.team_id IS NULL THEN $user_id ELSE null END,
    updated_at: datetime(row.created_at)
  })
}
WITH row
MATCH (s:Source {id: row.id, user_id: $user_id})
WITH s, row,
  CASE WHEN NOT row.grows AND row.title < s.title THEN row.title ELSE s.title END AS title,
  CASE WHEN row.path < s.path THEN row.path ELSE s.path END AS path,
  CASE WHEN row.provenance < s.provenance THEN row.provenance ELSE s.provenance END AS provenance,
  CASE
    WHEN row.grows OR row.started_at IS NULL THEN s.started_at
    WHEN s.started_at IS NULL THEN datetime(row.started_at)
    WHEN datetime(row.started_at) < s.started_at THEN datetime(row.started_at)
    ELSE s.started_at
  END AS started_at,
  @strictest(s.sensitivity, row.sensitivity) AS sensitivity
WITH s, row, title, path, provenance, started_at, sensitivity,
  started_at IS NOT NULL AND (s.started_at IS NULL OR started_at <> s.started_at) AS is_moved
WITH s, row, title, path, provenance, started_at, sensitivity, is_moved, title <> s.title OR is_moved AS changed
SET s.unscored = CASE
    WHEN s.team_id IS NULL AND (changed OR NOT (@source_in_use(s))) THEN $user_id
    ELSE s.unscored
  END,
  s.unaged = CASE
    WHEN s.rested_key IS NOT NULL AND is_moved THEN $user_id
    ELSE s.unaged
  END,
  s.title = title,
  s.path = path,
  s.provenance = provenance,
  s.started_at = started_at,
  s.ancestors = coalesce(s.ancestors, row.ancestors),
  s.links = coalesce(s.links, row.links),
  s.sensitivity = sensitivity,
  s.withdrawn_at = null,
  s.removed_at = CASE WHEN s.removed_by = 'owner' THEN s.removed_at ELSE null END,
  s.removed_by = CASE WHEN s.removed_by = 'owner' THEN 'owner' ELSE null END,
  s.readers = @readers(s, s.removed_by = 'owner', sensitivity, s.participant_keys),
  s.processing_status = CASE WHEN changed THEN 'raw' ELSE s.processing_status END,
  s.updated_at = CASE WHEN changed THEN datetime(row.created_at) ELSE s.updated_at END
MERGE (raw:SourceText {id: row.raw_content_id, user_id: $user_id})
ON CREATE SET raw.kind = 'raw_content',
  raw.text = row.raw_content
MERGE (s)-[:HAS_RAW_CONTENT]->(raw)
@contexts_unmade(s)
WITH s, row
CALL (s, row) {
  WITH s, row
  WHERE row.original_content IS NOT NULL
  MERGE (original:SourceText {id: row.original_content_id, user_id: $user_id})
  SET original.kind = 'original_content',
    original.text = CASE
      WHEN original.text IS NULL OR row.original_content < original.text THEN row.original_content
      ELSE original.text
    END
  MERGE (s)-[:HAS_ORIGINAL_CONTENT]->(original)
}
RETURN s.id AS id, s.content_hash AS content_hash
