// That two names mean one person, or two; what was decided before about the same two is replaced.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (d:NameDecision {id: row.id})
ON CREATE SET d.user_id = $user_id
SET d.one_id = row.one_id,
  d.other_id = row.other_id,
  d.same = row.same,
  d.decided_by = row.decided_by,
  d.keep_id = row.keep_id,
  d.evidence = row.evidence,
  d.at = datetime($now)
RETURN d.id AS id
