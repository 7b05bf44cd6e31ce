// The sources behind memories, of any owner: statements by STATES, storylines by INCLUDES, macros
// through their storylines, sources by themselves. is_readable: the user's own, or one of their teams'.
// mode: read
// params: user_ids, memory_ids
// returns: memory_id, source_id, source_owner, is_readable
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted})
MATCH (c)<-[:STATES]-(s:Source)
RETURN DISTINCT c.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  @may_read(s) AS is_readable
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (t:Storyline {id: wanted})
MATCH (t)-[:INCLUDES]->(s:Source)
RETURN DISTINCT t.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  @may_read(s) AS is_readable
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (m:Macro {id: wanted})
MATCH (m)-[:GROUPS]->(:Storyline)-[:INCLUDES]->(s:Source)
RETURN DISTINCT m.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  @may_read(s) AS is_readable
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (s:Source {id: wanted})
RETURN s.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  @may_read(s) AS is_readable
