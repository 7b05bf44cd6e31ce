// Where what a reference refers to was said: a statement's turns, or a source's statements' turns. With the memory's id.
// mode: read
// params: user_id, user_ids, ref
// returns: memory_id, source_id, turn
MATCH (c:Memory {ref: $ref})
WHERE c.user_id = $user_id
MATCH (s:Source)-[r:STATES {user_id: $user_id}]->(c)
WHERE @may_read(s)
  AND @source_in_use(s)
RETURN DISTINCT c.id AS memory_id, s.id AS source_id, r.turn AS turn
UNION
MATCH (s:Memory {ref: $ref})
WHERE @may_read(s)
  AND @source_in_use(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(:KnowledgeChunk)
RETURN DISTINCT s.id AS memory_id, s.id AS source_id, r.turn AS turn
UNION
MATCH (m:Memory {ref: $ref})
WHERE m.user_id = $user_id
MATCH (m)-[:INCLUDES]->(s:Source)
WHERE @may_read(s)
  AND @source_in_use(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(:KnowledgeChunk)
RETURN DISTINCT m.id AS memory_id, s.id AS source_id, r.turn AS turn
