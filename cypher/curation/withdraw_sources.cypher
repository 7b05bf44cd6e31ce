// Put sources out of use because their giver has taken them back: they stay, nothing is made of them any more.
// Rails: not kept forever; unknown means keep.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.id, user_id: $user_id})
WHERE @may_remove_source(s)
  AND s.withdrawn_at IS NULL
@removal_audit(s, 'withdraw')
SET s.withdrawn_at = datetime($now),
  s.updated_at = datetime($now),
  s.unscored = CASE WHEN s.team_id IS NULL THEN $user_id ELSE null END
@contexts_unmade(s)
@consolidations_unchecked(s)
@parents_unscored(s)
RETURN DISTINCT row.id AS id
