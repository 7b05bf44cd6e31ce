// Sources that can still grow and that a file is read as again: back, where a reader had removed them, or all that
// they said was taken back. What their owner has removed stays so.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.removed_by IN ['reader', 'undo']
SET s.removed_at = null,
  s.removed_by = null,
  s.readers = @readers(s, false, s.sensitivity, s.participant_keys),
  s.unscored = CASE WHEN s.team_id IS NULL THEN $user_id ELSE null END
@contexts_unmade(s)
@parents_unscored(s)
RETURN DISTINCT row.id AS id
