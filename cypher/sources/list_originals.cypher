// The sources of which an original is kept.
// mode: read
// params: user_id
// returns: id
MATCH (s:Source {user_id: $user_id})
WHERE s.original_content IS NOT NULL
RETURN s.id AS id
