// The statements of a user that these turns of these sources make; archived ones too where with_archived.
// mode: read
// params: rows, user_id, user_ids, with_archived
// returns: memory_id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE r.turn IN row.turns
  AND (@in_use(c) OR $with_archived)
RETURN DISTINCT c.id AS memory_id
