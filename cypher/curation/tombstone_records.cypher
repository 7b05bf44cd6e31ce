// Make tombstones of records and statements that are pruned or merged: nothing shows or counts them, and in 30 days they are
// removed (001, soft delete). The audit holds them whole; of merged ones also what the survivor was before.
// Rails, again where the knife is (passes_rails). Not those that somebody has written since they were read; a merged one only
// where merge_memories has made the survivor replace it, in the same transaction.
// mode: write
// params: rows, user_id, now, born_before
// returns: id
@held_memory()
WHERE coalesce(m.version, 0) = row.version
  AND m.tombstone IS NULL
  AND (row.kept_id IS NULL OR m.merged_by = row.audit_id)
  AND @passes_rails(m, $born_before)
@cut_audit(m, row.action)
SET a.kept_id = row.kept_id,
  a.kept_snapshot = row.kept_snapshot
SET m.tombstone = true,
  m.deleted_at = datetime($now),
  m.tombstone_key = row.remove_at,
  m.tombstoned_from = m.state,
  m.state = 'archived',
  m.curate_5m_key = null,
  m.curate_15m_key = null,
  m.curate_1h_key = null,
  m.curate_6h_key = null,
  m.fade_key = null,
  m.rest_key = null,
  m.rested_key = null,
  m.unaged = null,
  m.uncompared = null,
  m.bulky = null,
  m.unscored = CASE WHEN m:KnowledgeChunk THEN $user_id ELSE m.unscored END,
  m.version = row.version + 1
WITH row, m
@leaves_records(m)
RETURN row.id AS id
