// Take back that sources were removed or withdrawn: those who could read them can again, and the next run extracts
// them anew.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE NOT (@source_in_use(s))
@audit(row.id, 'Source', 'restore')
SET s.withdrawn_at = null,
  s.removed_at = null,
  s.removed_by = null,
  s.rested_refs = null,
  s.readers = @readers(s, false, s.sensitivity, s.participant_keys),
  s.unscored = CASE WHEN s.team_id IS NULL THEN $user_id ELSE null END
@contexts_unmade(s)
@parents_unscored(s)
RETURN DISTINCT row.id AS id
