// Where the given statements of a user are said: of each source when it says so last and first, or when it came in where
// nobody knows that, and the places in it.
// mode: read
// params: user_id, user_ids, memory_ids
// returns: memory_id, source_id, said_at, first_said_at, is_dated, turn, position
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE @may_read(s)
RETURN c.id AS memory_id,
  s.id AS source_id,
  toString(coalesce(@said_at(r, s), s.ingested_at)) AS said_at,
  toString(coalesce(r.first_said_at, s.started_at, r.said_at, s.ingested_at)) AS first_said_at,
  @said_at(r, s) IS NOT NULL AS is_dated,
  coalesce(r.turn, 0) AS turn,
  coalesce(r.position, 0) AS position
