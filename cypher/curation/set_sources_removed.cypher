// Sources that their owner wants gone, or that their file is not read as any more: nobody reads them from now on, so the
// next extraction lets go of what they alone make. Nothing is deleted; the audit says who did it, and
// restore_sources takes it back.
// Rails, checked as it writes: not `keep_forever`; unknown forbids it.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE s.removed_at IS NULL
  AND @may_remove_source(s)
@removal_audit(s, 'remove')
SET s.removed_at = datetime($now),
  s.removed_by = row.removed_by,
  s.readers = @readers(s, true, s.sensitivity, s.participant_keys),
  s.unscored = CASE WHEN s.team_id IS NULL THEN $user_id ELSE null END
@contexts_unmade(s)
@consolidations_unchecked(s)
@parents_unscored(s)
RETURN DISTINCT row.id AS id
