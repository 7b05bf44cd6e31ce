// Bring back what was archived, in the state and tier that it had, and as present as when it was last used: it fades from now
// on. One that was condensed since says again what it said (row.token_count is how long that was; null where it had been
// condensed before). Not what has been archived again since, is back by itself, or was written since it was read.
// mode: write
// params: rows, user_id, now
// returns: id
@held_memory()
WHERE coalesce(m.version, 0) = row.version
  AND m.tombstone IS NULL
  AND NOT (@in_use(m))
  AND m.archived_at = datetime(row.archived_at)
FOREACH (x IN CASE WHEN m.full_text IS NULL OR row.token_count IS NULL THEN [] ELSE [1] END |
  SET m.text = m.full_text,
    m.token_count = row.token_count,
    m.full_text = null,
    m.condensed_at = null,
    m.condensed_by = null
)
SET m.bulky = null,
  m.state = coalesce(m.archived_from, 'candidate'),
  m.archived_from = null,
  m.archived_at = null,
  m.tier = coalesce(row.tier, m.tier),
  m.salience_at = CASE WHEN row.is_record THEN m.salience_at ELSE datetime($now) END,
  m.unaged = CASE WHEN row.is_record THEN m.unaged ELSE $user_id END,
  m.unscored = CASE WHEN row.is_valued THEN $user_id ELSE m.unscored END,
  m.restored_at = datetime($now),
  m.version = CASE WHEN row.is_record THEN coalesce(m.version, 0) + 1 ELSE m.version END
FOREACH (x IN CASE WHEN row.is_record THEN [1] ELSE [] END | SET @is_due_now(m))
RETURN m.id AS id
