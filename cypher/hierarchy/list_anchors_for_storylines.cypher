// The people and concepts that meet the counters (004, Nightly Storyline Promotion), and all entities, whose names go by what they are.
// mode: read
// params: user_id, least_sources, least_days
// returns: id, name, is_person, is_concept, aliases, confidence, source_count, distinct_source_days
MATCH (n:Person|Concept|Entity {user_id: $user_id})
WHERE n:Entity
  OR (n.source_count >= $least_sources
    AND n.distinct_source_days >= $least_days)
RETURN n.id AS id, n.name AS name, n:Person AS is_person, n:Concept AS is_concept,
  n.aliases AS aliases, n.confidence AS confidence,
  coalesce(n.source_count, 0) AS source_count, coalesce(n.distinct_source_days, 0) AS distinct_source_days
ORDER BY id
