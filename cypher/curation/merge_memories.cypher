// Merge a memory into another one that says the same, of one owner and kind: accesses are summed, it is as old as the older
// and as sure as the surer. The other is a tombstone by the next statement of the same transaction, and what follows moves its
// relationships; where this one finds that somebody has written either since it was read, none of them does anything.
// Rails, again where the knife is (passes_rails): of what goes.
// mode: write
// params: rows, user_id, now, born_before
// returns: id
UNWIND $rows AS row
MATCH (gone:Memory {id: row.id})
WHERE gone.user_id = $user_id
MATCH (kept:Memory {id: row.kept_id})
WHERE kept.user_id = $user_id
@holds(gone)
@holds(kept)
WITH row, gone, kept
WHERE coalesce(gone.version, 0) = row.version
  AND coalesce(gone.access_count, 0) = row.seen_access_count
  AND @is_living(gone)
  AND @passes_rails(gone, $born_before)
  AND coalesce(kept.version, 0) = row.kept_version
  AND coalesce(kept.access_count, 0) = row.kept_seen_access_count
  AND @is_living(kept)
  AND @in_use(kept)
SET gone.merged_into = kept.id,
  gone.merged_by = row.audit_id
SET kept.access_count = coalesce(row.access_count, kept.access_count),
  kept.recall_frequency = coalesce(row.recall_frequency, kept.recall_frequency),
  kept.confidence = coalesce(row.confidence, kept.confidence),
  kept.stated_confidence = coalesce(row.stated_confidence, kept.stated_confidence),
  kept.decay_gradient = coalesce(row.decay_gradient, kept.decay_gradient),
  kept.durability = coalesce(row.durability, kept.durability),
  kept.recent_accesses = coalesce(row.recent_accesses, kept.recent_accesses),
  kept.accessed_by = coalesce(row.accessed_by, kept.accessed_by),
  kept.about = coalesce(row.about, kept.about),
  kept.salience = coalesce(row.salience, kept.salience),
  kept.last_recall_interval = coalesce(row.last_recall_interval, kept.last_recall_interval),
  kept.ttl_policy = coalesce(row.ttl_policy, kept.ttl_policy),
  kept.state = coalesce(row.state, kept.state),
  kept.created_at = coalesce(datetime(row.created_at), kept.created_at),
  kept.salience_at = coalesce(datetime(row.salience_at), kept.salience_at),
  kept.ingested_at = coalesce(datetime(row.ingested_at), kept.ingested_at),
  kept.confirmed_at = coalesce(datetime(row.confirmed_at), kept.confirmed_at),
  kept.last_accessed_at = coalesce(datetime(row.last_accessed_at), kept.last_accessed_at),
  kept.updated_at = datetime($now),
  kept.uncompared = $user_id,
  kept.version = row.kept_version + 1
FOREACH (one IN CASE WHEN kept:KnowledgeChunk THEN [1] ELSE [] END |
  SET kept.unscored = $user_id,
    kept.unaged = $user_id,
    kept.unjudged = $user_id
)
FOREACH (one IN CASE WHEN kept:KnowledgeChunk THEN [] ELSE [1] END |
  SET kept.curate_5m_key = '0|' + $user_id + '|' + kept.id,
    kept.curate_15m_key = '0|' + $user_id + '|' + kept.id,
    kept.curate_1h_key = '0|' + $user_id + '|' + kept.id,
    kept.curate_6h_key = '0|' + $user_id + '|' + kept.id
)
MERGE (p:DuplicatePair {id: row.pair_id, user_id: $user_id})
ON CREATE SET p.found_at = datetime($now)
SET p.kind = row.label,
  p.a = row.a,
  p.b = row.b,
  p.words = row.words,
  p.reason = row.reason,
  p.cosine = row.cosine,
  p.decided_by = row.decided_by,
  p.status = 'merged',
  p.merged_id = gone.id,
  p.kept_id = kept.id,
  p.audit_id = row.audit_id,
  p.decided_at = datetime($now)
RETURN kept.id AS id
