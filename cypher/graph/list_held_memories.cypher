// Of some statements and sources of a user those in whose source an agent has recorded what holds between two days: with the
// words by which the source states it, or its summary.
// mode: read
// params: user_id, user_ids, memory_ids
// returns: memory_id, source_id, words
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE @may_read(s)
MATCH (m:Memory)-[:RECORDED_IN]->(s)
WHERE m.user_id = s.user_id
  AND m.record_kind IS NOT NULL
  AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL)
  AND @is_living(m)
RETURN DISTINCT c.id AS memory_id, s.id AS source_id, coalesce(r.content, c.content) AS words
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (s:Source {id: wanted})
WHERE @may_read(s)
MATCH (m:Memory)-[:RECORDED_IN]->(s)
WHERE m.user_id = s.user_id
  AND m.record_kind IS NOT NULL
  AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL)
  AND @is_living(m)
RETURN DISTINCT s.id AS memory_id, s.id AS source_id, coalesce(s.summary, '') AS words
