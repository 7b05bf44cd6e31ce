// What a clock that was ahead has archived is as it was before that, and names its day anew; not what an access has brought
// back since it was read.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
  AND m.archived_at > datetime($now)
SET m.state = coalesce(m.archived_from, 'candidate'),
  m.archived_from = null,
  m.archived_at = null,
  m.unaged = $user_id,
  m.unscored = CASE WHEN row.is_valued THEN $user_id ELSE m.unscored END
RETURN m.id AS id
