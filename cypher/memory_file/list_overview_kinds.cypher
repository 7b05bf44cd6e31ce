// The kinds of the sources behind the overviews of a pool, as far as the user may read them.
// mode: read
// params: user_id, user_ids, memory_ids
// returns: memory_id, source_types
UNWIND $memory_ids AS wanted
MATCH (t:Storyline {id: wanted})
WHERE t.user_id = $user_id
MATCH (t)-[:INCLUDES]->(s:Source)
WHERE @may_read(s)
RETURN t.id AS memory_id, collect(DISTINCT coalesce(s.source_type, '')) AS source_types
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (m:Macro {id: wanted})
WHERE m.user_id = $user_id
MATCH (m)-[:GROUPS]->(:Storyline)-[:INCLUDES]->(s:Source)
WHERE @may_read(s)
RETURN m.id AS memory_id, collect(DISTINCT coalesce(s.source_type, '')) AS source_types
