// What records say, new ones and those that come in with another content: everything of it follows from the content alone. A
// tombstone that comes in with another content lives again; where it was merged, it is itself again, and that pair is
// over: what both say now is compared anew.
// What a record says of its state and its retention holds from when it says so; what others have said stays.
// mode: write
// params: rows, user_id, embedder, now
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.state = CASE
    WHEN row.state = 'active' AND @in_use(m) THEN m.state
    ELSE row.state
  END,
  m.tier = CASE
    WHEN row.tier IS NULL THEN null
    WHEN row.tier = 'ARCHIVE' THEN 'ARCHIVE'
    WHEN m.tier IS NULL OR m.tier = 'ARCHIVE' THEN row.tier
    ELSE m.tier
  END,
  m.ttl_policy = CASE
    WHEN row.keep THEN 'keep_forever'
    WHEN coalesce(m.keep, false) THEN 'decay'
    ELSE m.ttl_policy
  END
SET m.ref = row.ref,
  m.record_kind = row.record_kind,
  m.agent = row.agent,
  m.record_id = row.record_id,
  m.title = row.title,
  m.text = row.text,
  m.about = row.about,
  m.fingerprint = row.fingerprint,
  m.recorded_at = CASE WHEN row.recorded_at IS NULL THEN null ELSE datetime(row.recorded_at) END,
  m.changed_at = datetime($now),
  m.confirmed_at = CASE WHEN row.record_kind = 'Belief' THEN datetime($now) ELSE null END,
  m.confidence = row.confidence,
  m.stated_confidence = row.confidence,
  m.stated_state = row.stated_state,
  m.keep = row.keep,
  m.status = row.status,
  m.due = row.due,
  m.valid_from = row.valid_from,
  m.valid_to = row.valid_to,
  m.severity = row.severity,
  m.is_read = row.is_read,
  m.is_critical = row.is_critical,
  m.active = row.active,
  m.consolidated = row.consolidated,
  m.memory_kind = row.memory_kind,
  m.needs_consolidation = null,
  m.refers_to = row.refers_to,
  m.learned_from = row.learned_from,
  m.unlinked = CASE WHEN row.is_referring THEN $user_id ELSE null END,
  m.token_count = row.token_count,
  m.full_text = null,
  m.condensed_at = null,
  m.condensed_by = null,
  m.bulky = null,
  m.embedding = row.embedding,
  m.embedder = CASE WHEN row.embedding IS NULL THEN null ELSE $embedder END,
  m.archived_from = null,
  m.archived_at = null,
  m.tombstone = null,
  m.deleted_at = null,
  m.tombstone_key = null,
  m.tombstoned_from = null,
  m.merged_into = null,
  m.merged_by = null,
  m.uncompared = CASE WHEN row.tier IS NULL THEN null ELSE $user_id END,
  m.updated_at = datetime($now),
  @becomes_due(m)
WITH DISTINCT m
OPTIONAL MATCH (p:DuplicatePair {merged_id: m.id})
WHERE p.user_id = $user_id
  AND p.status = 'merged'
SET p.status = 'ended',
  p.words = null
RETURN DISTINCT m.id AS id
