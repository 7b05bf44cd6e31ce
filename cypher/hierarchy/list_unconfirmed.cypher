// Of these anchors those that are candidates, or are archived as such.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS wanted
MATCH (n:Memory {id: wanted, user_id: $user_id})
WHERE n.state = 'candidate'
  OR (n.state = 'archived' AND coalesce(n.archived_from, 'candidate') = 'candidate')
RETURN n.id AS id
