// By which policy memories live from now on; the next ageing finds their day anew, and the next classification their value.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.ttl_policy = row.policy,
  m.unaged = $user_id,
  m.unscored = CASE WHEN row.is_valued THEN $user_id ELSE m.unscored END
RETURN m.id AS id
