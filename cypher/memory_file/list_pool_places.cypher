// Where the statements of a pool were said: the sources that the user may read, each once with all that it says, and with
// its own reference where `explain` would know it. Times come as text: the driver takes longer to make instants of them
// than the engine to find them. Its value is looked up by an index: along its edges, the engine walks all that it says.
// mode: read
// params: user_id, user_ids, memory_ids
// returns: memory_ids, turns, positions, source_id, source_ref, source_type, started_at
UNWIND $memory_ids AS memory_id
MATCH (c:KnowledgeChunk {id: memory_id})
WHERE c.user_id = $user_id
MATCH (c)<-[r:STATES]-(s:Source)
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
WITH s, collect(c.id) AS memory_ids, collect(coalesce(r.turn, 0)) AS turns,
  collect(coalesce(r.position, 0)) AS positions
OPTIONAL MATCH (vc:ValueClassification {user_id: $user_id, memory_id: s.id})
RETURN memory_ids,
  turns,
  positions,
  s.id AS source_id,
  CASE WHEN vc.id IS NULL THEN null ELSE s.ref END AS source_ref,
  coalesce(s.source_type, '') AS source_type,
  toString(s.started_at) AS started_at
