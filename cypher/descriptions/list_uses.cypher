// When somebody has last asked for a source of what is noted of some subjects of a user, or that says a relationship in words
// of its own. Apart from list_due: with a second pattern behind the range, the embedded engine counts the index first.
// mode: read
// params: user_id, ids
// returns: id, source_accessed_at
UNWIND $ids AS wanted
@owned_memory(wanted)
CALL (m) {
  MATCH (m)-[:HAS_NOTE {user_id: $user_id}]->(:Note)-[:TAKEN_FROM {user_id: $user_id}]->(s)
  RETURN s
  UNION ALL
  MATCH (m)<-[:SUPPORTS {user_id: $user_id}]-(s)
  RETURN s
}
WITH m, s
WHERE s.user_id = $user_id
RETURN m.id AS id, max(s.last_accessed_at) AS source_accessed_at
