// Who is or was meant by names that mean somebody else now: the accesses are to be counted anew, of each together with those
// to whom names went, or from whom they came (with_ids).
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.uncounted = $user_id,
  m.uncounted_with = coalesce(m.uncounted_with, [])
    + [one IN coalesce(row.with_ids, []) WHERE NOT one IN coalesce(m.uncounted_with, [])]
RETURN m.id AS id
