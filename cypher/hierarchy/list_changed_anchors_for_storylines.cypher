// The people, concepts and entities that meet the counters (004, Nightly Storyline Promotion), with the sources
// that mention them: those among these. What was said in an abandoned branch tells no story.
// mode: read
// params: user_id, ids, least_sources, least_days
// returns: id, name, is_person, aliases, confidence, source_ids
UNWIND $ids AS wanted
MATCH (n:Memory {id: wanted, user_id: $user_id})
WHERE (n:Person OR n:Concept OR n:Entity)
  AND n.source_count >= $least_sources
  AND n.distinct_source_days >= $least_days
MATCH (n)<-[:MENTIONS {user_id: $user_id}]-(s:Source)
WHERE NOT coalesce(s.provenance, '') CONTAINS '"branch": "abandoned"'
WITH n.id AS id, n.name AS name, n:Person AS is_person, n.aliases AS aliases, n.confidence AS confidence, s.id AS source_id
RETURN id, name, is_person, aliases, confidence, collect(DISTINCT source_id) AS source_ids
ORDER BY id
