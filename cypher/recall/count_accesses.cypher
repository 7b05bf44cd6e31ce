// That a user's statements were recalled: those that these turns of these sources make. Their frequency and recency are
// others now: they are to be scored again when scoring comes next.
// mode: write
// params: rows, user_id, user_ids, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
WHERE @may_read(s)
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE r.turn IN row.turns
WITH DISTINCT c
SET c.access_count = coalesce(c.access_count, 0) + 1,
  c.last_accessed_at = datetime($now),
  c.unscored = $user_id
RETURN c.id AS id
