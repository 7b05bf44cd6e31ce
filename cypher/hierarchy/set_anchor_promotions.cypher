// Of these anchors those that have storylines, and those that have none any more. Being mentioned on the required number of
// days confirms an anchor as a retrieval does; without either it is a candidate again. Only those are written, and are to be
// aged, for whom that is news.
// mode: write
// params: user_id, ids, promoted_ids, storyline_ids, now
// returns: id, state
UNWIND $ids AS wanted
MATCH (n:Memory {id: wanted, user_id: $user_id})
WHERE n:Person OR n:Concept OR n:Entity
WITH n,
  n.id IN $storyline_ids AS has_meso,
  CASE
    WHEN n.state = 'candidate' AND n.id IN $promoted_ids THEN 'active'
    WHEN n.state = 'active' AND n.access_count = 0 AND NOT n.id IN $promoted_ids THEN 'candidate'
    ELSE n.state
  END AS state
WHERE coalesce(n.has_meso, false) <> has_meso
  OR n.state <> state
SET n.has_meso = has_meso,
  n.promoted_at = CASE
    WHEN n.state = 'candidate' AND state = 'active' THEN datetime($now)
    WHEN state = 'candidate' THEN null
    ELSE n.promoted_at
  END,
  n.state = state,
  n.unaged = $user_id
RETURN n.id AS id, n.state AS state
