// Give condensed records back what they said.
// mode: write
// params: rows, user_id, now
// returns: id
@held_memory()
WHERE coalesce(m.version, 0) = row.version
  AND m.full_text IS NOT NULL
SET m.text = m.full_text,
  m.full_text = null,
  m.condensed_by = null,
  m.condensed_at = null,
  m.token_count = row.token_count,
  m.updated_at = datetime($now),
  m.version = row.version + 1
RETURN m.id AS id
