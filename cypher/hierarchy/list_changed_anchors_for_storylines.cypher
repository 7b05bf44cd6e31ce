// Those of these that are people, concepts and entities, with what the counters ask of them (004, Nightly Storyline Promotion).
// mode: read
// params: user_id, ids
// returns: id, name, is_person, is_concept, aliases, confidence, source_count, distinct_source_days
UNWIND $ids AS wanted
MATCH (n:Memory {id: wanted, user_id: $user_id})
WHERE n:Person OR n:Concept OR n:Entity
RETURN n.id AS id, n.name AS name, n:Person AS is_person, n:Concept AS is_concept,
  n.aliases AS aliases, n.confidence AS confidence,
  coalesce(n.source_count, 0) AS source_count, coalesce(n.distinct_source_days, 0) AS distinct_source_days
ORDER BY id
