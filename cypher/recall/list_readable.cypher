// Those of some storylines and macros of a user of which the user may read all, and all is in use.
// mode: read
// params: user_id, user_ids, ids
// returns: id
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})
WHERE m.user_id = $user_id
  AND @is_readable(m)
RETURN m.id AS id
