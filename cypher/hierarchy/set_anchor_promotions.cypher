// Of these anchors those that have storylines, and those that have none any more. Being mentioned on the required number of
// days confirms an anchor as a retrieval does, from the instant on at which the mentions sufficed, also where it was retrieved
// meanwhile; without either it is a candidate again. Where mentions come to confirm what was retrieved, or suffice no longer,
// its accesses are to be counted anew: what they make of it follows from that. What is archived is confirmed as what it comes
// back as, and stays archived. Nothing of that concerns the owner's own Person, who is certain. Only those are written, and
// are to be aged, for whom that is news.
// mode: write
// params: user_id, rows
// returns: id, state
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
WHERE n:Person OR n:Concept OR n:Entity
WITH n, row, coalesce(n.is_owner, false) AS is_owner,
  CASE WHEN @in_use(n) THEN n.state ELSE coalesce(n.archived_from, 'candidate') END AS living
WITH n, row, is_owner, living,
  CASE
    WHEN is_owner THEN living
    WHEN living = 'candidate' AND row.is_promoted THEN 'active'
    WHEN n.state = 'active' AND n.access_count = 0 AND NOT row.is_promoted THEN 'candidate'
    ELSE living
  END AS state
WITH n, row, living, state,
  CASE
    WHEN is_owner OR state = 'candidate' THEN null
    WHEN n.access_count > 0 AND NOT row.is_promoted THEN null
    ELSE coalesce(n.promoted_at, datetime(row.promoted_at))
  END AS promoted_at
WHERE coalesce(n.has_meso, false) <> row.has_meso
  OR living <> state
  OR (n.promoted_at IS NULL) <> (promoted_at IS NULL)
SET n.has_meso = row.has_meso,
  n.uncounted = CASE
    WHEN (n.promoted_at IS NULL) <> (promoted_at IS NULL) AND n.access_count > 0 THEN $user_id
    ELSE n.uncounted
  END,
  n.promoted_at = promoted_at,
  n.archived_from = CASE WHEN @in_use(n) THEN null ELSE state END,
  n.state = CASE WHEN @in_use(n) THEN state ELSE n.state END,
  n.unaged = $user_id
RETURN n.id AS id, n.state AS state
