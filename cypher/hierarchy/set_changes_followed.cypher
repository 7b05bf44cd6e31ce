// That storylines follow what has changed of these; since when, by what was written until now.
// mode: write
// params: rows, user_id
// returns: id, since
UNWIND $rows AS row
MATCH (m:Memory {id: row.id, user_id: $user_id})
WITH m, m.untold_from_at AS since
SET m.untold = null,
  m.untold_from_at = null
RETURN m.id AS id, since
