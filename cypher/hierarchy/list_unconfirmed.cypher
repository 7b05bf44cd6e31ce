// Of these anchors those that are candidates, or are archived as such.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS wanted
MATCH (n:Memory {id: wanted, user_id: $user_id})
WHERE CASE WHEN @in_use(n) THEN n.state ELSE coalesce(n.archived_from, 'candidate') END = 'candidate'
RETURN n.id AS id
