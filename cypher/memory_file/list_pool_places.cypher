// Where the statements of a pool were said: the sources that the user may read, each with its own reference
// where `explain` would know it.
// mode: read
// params: user_id, user_ids, memory_ids
// returns: memory_id, source_id, source_ref, started_at, turn
UNWIND $memory_ids AS memory_id
MATCH (c:KnowledgeChunk {id: memory_id, user_id: $user_id})
MATCH (c)<-[r:STATES]-(s:Source)
WHERE s.user_id IN $user_ids
  AND (s.readers IS NULL OR any(reader IN s.readers WHERE reader IN $user_ids))
OPTIONAL MATCH (s)-[:HAS_VALUE]->(vc:ValueClassification {user_id: $user_id})
RETURN c.id AS memory_id,
  s.id AS source_id,
  CASE WHEN vc.id IS NULL THEN null ELSE s.ref END AS source_ref,
  s.started_at AS started_at,
  r.turn AS turn
