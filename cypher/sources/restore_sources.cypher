// Sources that were withdrawn and are given again: in use as before.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.state = 'archived'
SET s.state = 'candidate',
  s.updated_at = datetime($now)
RETURN s.id AS id
