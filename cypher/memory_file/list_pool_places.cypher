// Where the statements of a pool were said: the sources that the user may read, each once with all that it says. Times
// come as text: the driver takes longer to make instants of them than the engine to find them.
// mode: read
// params: user_id, user_ids, memory_ids
// returns: memory_ids, turns, positions, said_at, source_id, source_type, project, people, is_bulk, started_at
UNWIND $memory_ids AS memory_id
MATCH (c:KnowledgeChunk {id: memory_id})
WHERE c.user_id = $user_id
MATCH (c)<-[r:STATES]-(s:Source)
WHERE @may_read(s)
RETURN collect(c.id) AS memory_ids,
  collect(coalesce(r.turn, 0)) AS turns,
  collect(coalesce(r.position, 0)) AS positions,
  collect(coalesce(toString(@said_at(r, s)), '')) AS said_at,
  s.id AS source_id,
  coalesce(s.source_type, '') AS source_type,
  coalesce(s.project, '') AS project,
  size(coalesce(s.participants, [])) AS people,
  coalesce(s.provenance, '') CONTAINS '"bulk": true' AS is_bulk,
  toString(s.started_at) AS started_at
