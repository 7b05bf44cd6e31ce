// Pairs of memories of which it is not decided whether they may be merged, or what was decided of them.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (p:DuplicatePair {id: row.id, user_id: $user_id})
ON CREATE SET p.found_at = datetime($now)
SET p.kind = row.kind,
  p.a = row.a,
  p.b = row.b,
  p.words = row.words,
  p.reason = row.reason,
  p.cosine = row.cosine,
  p.status = row.status,
  p.asked = row.asked,
  p.decided_by = row.decided_by,
  p.decided_at = CASE WHEN row.decided_by IS NULL THEN null ELSE datetime($now) END
RETURN p.id AS id
