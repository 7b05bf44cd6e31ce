// The sources behind memories, whoever owns them: statements by STATES, storylines by INCLUDES, macros
// through their storylines, sources by themselves. is_readable: the user's own, or one of their teams'.
// mode: read
// params: user_ids, memory_ids
// returns: memory_id, source_id, source_owner, is_readable
MATCH (s:Source)-[:STATES]->(c:KnowledgeChunk)
WHERE c.id IN $memory_ids
RETURN DISTINCT c.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  s.user_id IN $user_ids AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids)) AS is_readable
UNION ALL
MATCH (t:Storyline)-[:INCLUDES]->(s:Source)
WHERE t.id IN $memory_ids
RETURN DISTINCT t.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  s.user_id IN $user_ids AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids)) AS is_readable
UNION ALL
MATCH (m:Macro)-[:GROUPS]->(t:Storyline)-[:INCLUDES]->(s:Source)
WHERE m.id IN $memory_ids
RETURN DISTINCT m.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  s.user_id IN $user_ids AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids)) AS is_readable
UNION ALL
MATCH (s:Source)
WHERE s.id IN $memory_ids
RETURN s.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  s.user_id IN $user_ids AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids)) AS is_readable
