// The sources of which an original is stored.
// mode: read
// params: user_id
// returns: id
MATCH (s:Source {user_id: $user_id})-[:HAS_ORIGINAL_CONTENT]->(:SourceText)
RETURN s.id AS id
