// What a cycle has made of records that stay: their tier, how sure a belief still is, a flag; and when each cadence is to look at
// them next. Not those that somebody has written since they were read.
// mode: write
// params: rows, user_id, now
// returns: id
@held_memory()
WHERE coalesce(m.version, 0) = row.version
  AND @is_living(m)
SET m.tiered_at = CASE WHEN row.tier IS NULL THEN m.tiered_at ELSE datetime($now) END,
  m.budgeted_at = CASE
    WHEN row.tier IS NULL THEN m.budgeted_at
    WHEN row.by_budget THEN datetime($now)
    ELSE null
  END,
  m.tier = coalesce(row.tier, m.tier),
  m.confidence = coalesce(row.confidence, m.confidence),
  m.needs_consolidation = coalesce(row.needs_consolidation, m.needs_consolidation),
  m.curation_action = coalesce(row.curation_action, m.curation_action),
  m.last_curated_at = datetime($now),
  m.curate_5m_key = row.curate_5m_key,
  m.curate_15m_key = row.curate_15m_key,
  m.curate_1h_key = row.curate_1h_key,
  m.curate_6h_key = row.curate_6h_key,
  m.version = row.version + 1
RETURN m.id AS id
