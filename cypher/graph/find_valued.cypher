// The memories of a user behind a reference, with their value; an archived one has none. Another user's reference, or a team's
// that the user is no member of, is unknown, and so is what was never valued.
// mode: read
// params: user_id, user_ids, ref
// returns: memory_id, owner, entity_type, text, statement, retention_score, uniqueness_score, confidence_score, access_frequency, recency_score, value_score, retention_tier
MATCH (m:Memory {ref: $ref})
WHERE @may_read(m)
  AND @is_living(m)
  AND (m:KnowledgeChunk OR m:Storyline OR m:Macro OR m:Source)
OPTIONAL MATCH (m)-[:HAS_VALUE]->(vc:ValueClassification {user_id: $user_id})
WITH m, vc
WHERE vc IS NOT NULL OR NOT (@in_use(m))
WITH m, vc,
  CASE
    WHEN m:KnowledgeChunk THEN 'KnowledgeChunk'
    WHEN m:Macro THEN 'Macro'
    WHEN m:Storyline THEN 'Storyline'
    ELSE 'Source'
  END AS entity_type
RETURN m.id AS memory_id,
  m.user_id AS owner,
  entity_type,
  CASE entity_type
    WHEN 'KnowledgeChunk' THEN m.content
    WHEN 'Macro' THEN @overview(m)
    WHEN 'Storyline' THEN @overview(m)
    ELSE m.summary
  END AS text,
  CASE WHEN entity_type = 'KnowledgeChunk' THEN coalesce(m.quotation, m.statement) END AS statement,
  vc.retention_score AS retention_score,
  vc.uniqueness_score AS uniqueness_score,
  vc.confidence_score AS confidence_score,
  vc.access_frequency AS access_frequency,
  vc.recency_score AS recency_score,
  vc.value_score AS value_score,
  vc.retention_tier AS retention_tier
ORDER BY memory_id
