// Which of some sources of a user's are still in use: neither removed nor withdrawn.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
WHERE @source_in_use(s)
RETURN s.id AS id
