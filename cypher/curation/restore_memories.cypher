// Bring back what a consolidation has archived, as it was before, with an audit; not what was asked for since, which is back
// by itself.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})
WHERE m.user_id = $user_id
  AND m.folded_by = row.folded_by
@audit(row.id, row.label, 'restore')
SET m.state = coalesce(m.archived_from, 'candidate'),
  m.archived_from = null,
  m.archived_at = null,
  m.folded_by = null,
  m.kept_turns = null,
  m.unaged = $user_id,
  m.unscored = CASE WHEN row.is_valued THEN $user_id ELSE m.unscored END
RETURN m.id AS id
