// Whom and what the sources of one batch name for a user, in their words.
// mode: read
// params: ids, user_id
// returns: source_id, name, confidence
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(n:Memory)
WHERE n.user_id = $user_id
RETURN s.id AS source_id, m.name AS name, m.confidence AS confidence
