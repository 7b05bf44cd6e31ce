// Let a memory stand for another one that says the same, of one owner and kind: accesses are summed, it is as old as the older
// and as sure as the surer. The other is a tombstone by the next statement of the same transaction, and what follows moves its
// relationships; where this one finds that somebody has written either since it was read, none of them does anything.
// Rails, again where the knife is (passes_rails): of what goes.
// mode: write
// params: rows, user_id, now, born_before
// returns: id
UNWIND $rows AS row
MATCH (gone:Memory {id: row.id})
WHERE gone.user_id = $user_id
  AND coalesce(gone.version, 0) = row.version
  AND coalesce(gone.access_count, 0) = row.access_count
  AND @is_living(gone)
  AND @passes_rails(gone, $born_before)
MATCH (kept:Memory {id: row.kept_id})
WHERE kept.user_id = $user_id
  AND coalesce(kept.version, 0) = row.kept_version
  AND coalesce(kept.access_count, 0) = row.kept_access_count
  AND @is_living(kept)
  AND @in_use(kept)
SET gone.merged_into = kept.id
SET kept += row.united,
  kept.created_at = CASE WHEN row.created_at IS NULL THEN kept.created_at ELSE datetime(row.created_at) END,
  kept.salience_at = CASE WHEN row.salience_at IS NULL THEN kept.salience_at ELSE datetime(row.salience_at) END,
  kept.ingested_at = CASE WHEN row.ingested_at IS NULL THEN kept.ingested_at ELSE datetime(row.ingested_at) END,
  kept.confirmed_at = CASE WHEN row.confirmed_at IS NULL THEN kept.confirmed_at ELSE datetime(row.confirmed_at) END,
  kept.last_accessed_at =
    CASE WHEN row.last_accessed_at IS NULL THEN kept.last_accessed_at ELSE datetime(row.last_accessed_at) END,
  kept.updated_at = datetime($now),
  kept.unscored = $user_id,
  kept.unaged = $user_id,
  kept.version = row.kept_version + 1
FOREACH (one IN CASE WHEN kept:KnowledgeChunk THEN [1] ELSE [] END | SET kept.unjudged = $user_id)
FOREACH (one IN CASE WHEN kept.record_kind IS NULL THEN [] ELSE [1] END |
  SET kept.unscored = null,
    kept.unaged = null,
    kept.curate_5m_key = '0|' + $user_id + '|' + kept.id,
    kept.curate_15m_key = '0|' + $user_id + '|' + kept.id,
    kept.curate_1h_key = '0|' + $user_id + '|' + kept.id,
    kept.curate_6h_key = '0|' + $user_id + '|' + kept.id
)
MERGE (p:DuplicatePair {id: row.pair_id, user_id: $user_id})
ON CREATE SET p.found_at = datetime($now)
SET p += row.pair,
  p.status = 'merged',
  p.merged_id = gone.id,
  p.kept_id = kept.id,
  p.audit_id = row.audit_id,
  p.decided_at = datetime($now)
RETURN kept.id AS id
