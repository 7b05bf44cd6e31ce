// Which of the given sources are stored, and which of them were withdrawn.
// mode: read
// params: ids, user_id
// returns: id, is_withdrawn
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
RETURN s.id AS id, s.withdrawn_at IS NOT NULL AS is_withdrawn
