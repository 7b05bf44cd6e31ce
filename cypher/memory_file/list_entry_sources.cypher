// Whose sources are behind memories, with one of each owner's: of statements by STATES, of storylines by INCLUDES, of macros
// through their storylines, of sources themselves. is_readable: the user's own, or one of their teams'.
// mode: read
// params: user_ids, memory_ids
// returns: memory_id, source_id, source_owner, is_readable
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted})
MATCH (c)<-[:STATES]-(s:Source)
RETURN c.id AS memory_id, min(s.id) AS source_id, s.user_id AS source_owner,
  @may_read(s) AS is_readable
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (t:Storyline {id: wanted})
MATCH (t)-[:INCLUDES]->(s:Source)
RETURN t.id AS memory_id, min(s.id) AS source_id, s.user_id AS source_owner,
  @may_read(s) AS is_readable
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (m:Macro {id: wanted})
MATCH (m)-[:GROUPS]->(:Storyline)-[:INCLUDES]->(s:Source)
RETURN m.id AS memory_id, min(s.id) AS source_id, s.user_id AS source_owner,
  @may_read(s) AS is_readable
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (s:Source {id: wanted})
RETURN s.id AS memory_id, s.id AS source_id, s.user_id AS source_owner,
  @may_read(s) AS is_readable
