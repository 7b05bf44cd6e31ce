// The memories of a user behind a reference, with their value: by the value, so that another user's
// reference, or a team's that the user is no member of, is unknown.
// mode: read
// params: user_id, user_ids, ref
// returns: memory_id, entity_type, text, statement, retention_score, uniqueness_score, confidence_score, access_frequency, recency_score, value_score, retention_tier
MATCH (m:Memory {ref: $ref})-[:HAS_VALUE]->(vc:ValueClassification {user_id: $user_id})
WHERE @may_read(m)
RETURN m.id AS memory_id,
  vc.entity_type AS entity_type,
  CASE vc.entity_type
    WHEN 'KnowledgeChunk' THEN m.content
    WHEN 'Macro' THEN @overview(m)
    WHEN 'Storyline' THEN @overview(m)
    ELSE m.summary
  END AS text,
  CASE WHEN vc.entity_type = 'KnowledgeChunk' THEN m.statement END AS statement,
  vc.retention_score AS retention_score,
  vc.uniqueness_score AS uniqueness_score,
  vc.confidence_score AS confidence_score,
  vc.access_frequency AS access_frequency,
  vc.recency_score AS recency_score,
  vc.value_score AS value_score,
  vc.retention_tier AS retention_tier
ORDER BY memory_id
