// How many people, concepts and entities a user's graph holds, for the report of a run.
// mode: read
// params: user_id
// returns: kind, memories
MATCH (n:Person|Concept|Entity {user_id: $user_id})
WHERE @in_use(n)
RETURN n.entity_type AS kind,
  count(n) AS memories
ORDER BY kind
