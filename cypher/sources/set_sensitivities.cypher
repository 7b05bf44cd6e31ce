// What is said of the sensitivity of sources that can still grow: the strictest of all that was said holds.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WITH s, row,
  @strictest(s.sensitivity, row.sensitivity) AS sensitivity
SET s.sensitivity = sensitivity,
  s.readers = @readers(s, s.removed_at IS NOT NULL, sensitivity, s.participant_keys)
@contexts_unmade(s)
RETURN s.id AS id
