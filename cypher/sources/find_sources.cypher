// Which of the given sources are stored.
// mode: read
// params: ids, user_id
// returns: id
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
RETURN s.id AS id
