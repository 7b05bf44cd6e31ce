// Of the given sources the statements that are word for word in their summaries and that nobody says by name, with the
// wording in which each is understood alone: as far as the user may read them.
// mode: read
// params: user_id, user_ids, memory_ids
// returns: memory_id, text, statement
UNWIND $memory_ids AS wanted
MATCH (s:Source {id: wanted})
WHERE @may_read(s)
  AND @in_use(s)
MATCH (s)-[:STATES]->(c:KnowledgeChunk)
WHERE c.user_id = $user_id
  AND c.speaker IS NULL
  AND s.summary CONTAINS c.content
RETURN s.id AS memory_id, c.content AS text, coalesce(c.statement, '') AS statement
