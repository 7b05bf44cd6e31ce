// The most valuable memories of one section of a user's file: a bounded pool by an indexed query, so that
// making the file does not grow with what is stored.
// The owner is asked for behind the range: beside it, the embedded engine reads an
// index by owner, and with it everything that the owner has.
// mode: read
// params: user_id, user_ids, first, last, limit
// returns: memory_id, ref, owner, section, entity_type, text, label, said_by_owner, is_standing, occurred_at, value_score, tier, embedding
MATCH (vc:ValueClassification)
WHERE vc.rank_key >= $first AND vc.rank_key <= $last
WITH vc
WHERE vc.user_id = $user_id
WITH vc
ORDER BY vc.rank_key
LIMIT $limit
MATCH (m:Memory)-[:HAS_VALUE]->(vc)
WHERE m.user_id IN $user_ids
  AND (m.readers IS NULL OR any(reader IN m.readers WHERE reader IN $user_ids))
RETURN m.id AS memory_id,
  m.ref AS ref,
  m.user_id AS owner,
  vc.section AS section,
  vc.entity_type AS entity_type,
  CASE vc.entity_type
    WHEN 'KnowledgeChunk' THEN m.content
    WHEN 'Macro' THEN m.overview
    ELSE m.summary
  END AS text,
  CASE vc.entity_type
    WHEN 'KnowledgeChunk' THEN m.speaker
    WHEN 'Source' THEN null
    ELSE m.title
  END AS label,
  coalesce(m.said_by_owner, false) AS said_by_owner,
  coalesce(vc.is_standing, false) AS is_standing,
  vc.occurred_at AS occurred_at,
  vc.value_score AS value_score,
  vc.retention_tier AS tier,
  m.embedding AS embedding
