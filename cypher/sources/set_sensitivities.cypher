// What is said of the sensitivity of sources that can still grow: the strictest of all that was said holds.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WITH s, row,
  CASE WHEN s.sensitivity = 'high' OR row.sensitivity = 'high' THEN 'high'
    WHEN s.sensitivity = 'normal' OR row.sensitivity = 'normal' THEN 'normal' ELSE 'low' END AS sensitivity
SET s.sensitivity = sensitivity,
  s.readers = CASE WHEN s.removed_at IS NOT NULL THEN [] WHEN sensitivity = 'high' AND s.team_id IS NOT NULL THEN coalesce(s.participant_keys, []) ELSE null END
RETURN s.id AS id
