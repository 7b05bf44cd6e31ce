// Whom and what each of some sources of a user names, without the user.
// mode: read
// params: user_id, ids
// returns: id, anchor_ids
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
MATCH (s)-[:MENTIONS {user_id: $user_id}]->(n:Memory)
WHERE coalesce(n.name, '') <> ''
  AND NOT coalesce(n.is_owner, false)
RETURN s.id AS id, collect(DISTINCT n.id) AS anchor_ids
ORDER BY id
