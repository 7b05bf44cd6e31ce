// Archived records in fewer words: what they said stays in full_text. Of one that has no fewer words only that it does not wait
// any more. Not those that somebody has written since they were read.
// mode: write
// params: rows, user_id, now
// returns: id
@held_memory()
WHERE coalesce(m.version, 0) = row.version
  AND @is_living(m)
  AND NOT (@in_use(m))
SET m.full_text = CASE WHEN row.text IS NULL THEN null ELSE m.text END,
  m.text = coalesce(row.text, m.text),
  m.token_count = row.token_count,
  m.condensed_by = row.condensed_by,
  m.condensed_at = CASE WHEN row.text IS NULL THEN null ELSE datetime($now) END,
  m.bulky = null,
  m.version = row.version + 1
RETURN m.id AS id
