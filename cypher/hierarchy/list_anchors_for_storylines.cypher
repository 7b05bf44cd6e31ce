// The people, concepts and entities that meet the counters (004, Nightly Storyline Promotion).
// mode: read
// params: user_id, least_sources, least_days
// returns: id, name, is_person, aliases, confidence, source_count
MATCH (n:Person|Concept|Entity {user_id: $user_id})
WHERE n.source_count >= $least_sources AND n.distinct_source_days >= $least_days
RETURN n.id AS id, n.name AS name, n:Person AS is_person, n.aliases AS aliases, n.confidence AS confidence,
  n.source_count AS source_count
ORDER BY id
