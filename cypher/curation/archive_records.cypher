// Put records out of whatever is shown unasked, with an audit; nothing is deleted, and an access brings them back.
// Rails, again where the knife is (passes_rails). Not those that somebody has written since they were read.
// mode: write
// params: rows, user_id, now, born_before
// returns: id
@held_memory()
WHERE coalesce(m.version, 0) = row.version
  AND @is_living(m)
  AND @in_use(m)
  AND @passes_rails(m, $born_before)
@cut_audit(m, 'archive')
SET m.archived_from = m.state,
  m.archived_at = datetime($now),
  m.bulky = CASE WHEN @is_bulky(m) THEN $user_id ELSE null END,
  m.state = 'archived',
  m.tiered_at = CASE WHEN m.tier IS NULL THEN null ELSE datetime($now) END,
  m.tier = CASE WHEN m.tier IS NULL THEN null ELSE 'ARCHIVE' END,
  m.curation_action = 'archive',
  m.last_curated_at = datetime($now),
  m.curate_5m_key = row.curate_5m_key,
  m.curate_15m_key = row.curate_15m_key,
  m.curate_1h_key = row.curate_1h_key,
  m.curate_6h_key = row.curate_6h_key,
  m.version = row.version + 1
RETURN m.id AS id
