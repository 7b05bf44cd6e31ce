// Of some statements and sources of a user those in whose source an agent has recorded what holds between two days: with the
// words by which the source states it, or its summary, and the record's own.
// mode: read
// params: user_id, memory_ids
// returns: memory_id, words, text, valid_from, valid_to
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source {user_id: $user_id})
MATCH (m:Memory)-[:RECORDED_IN {user_id: $user_id}]->(s)
WHERE m.record_kind IS NOT NULL
  AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL)
  AND @is_living(m)
RETURN c.id AS memory_id, coalesce(r.content, c.content) AS words, m.text AS text, m.valid_from AS valid_from,
  m.valid_to AS valid_to
UNION ALL
UNWIND $memory_ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
MATCH (m:Memory)-[:RECORDED_IN {user_id: $user_id}]->(s)
WHERE m.record_kind IS NOT NULL
  AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL)
  AND @is_living(m)
RETURN s.id AS memory_id, coalesce(s.summary, '') AS words, m.text AS text, m.valid_from AS valid_from,
  m.valid_to AS valid_to
