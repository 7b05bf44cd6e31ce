// What people have written into a user's files themselves: in the pool whatever its value, the newest first. What
// vanished from a file together with others is no less theirs.
// mode: read
// params: user_id, user_ids, limit
// returns: memory_id, ref, owner, section, entity_type, text, statement, label, said_by_owner, is_standing, occurred_at, value_score, tier, retention, embedding
MATCH (e:Decision {user_id: $user_id, kind: 'edit'})
WHERE e.action IN ['added', 'restored']
  OR (e.action IN ['vanished', 'dismissed'] AND e.action_before IN ['added', 'restored'])
MATCH (vc:ValueClassification {user_id: $user_id, memory_id: e.memory_id})
WITH vc, e
WHERE vc.section IS NOT NULL
ORDER BY e.at DESC, vc.memory_id
LIMIT $limit
MATCH (m:Memory)-[:HAS_VALUE]->(vc)
WHERE @may_read(m)
  AND @in_use(m)
RETURN m.id AS memory_id,
  m.ref AS ref,
  m.user_id AS owner,
  vc.section AS section,
  vc.entity_type AS entity_type,
  CASE vc.entity_type
    WHEN 'KnowledgeChunk' THEN m.content
    WHEN 'Macro' THEN @overview(m)
    WHEN 'Storyline' THEN @overview(m)
    ELSE m.summary
  END AS text,
  CASE WHEN vc.entity_type = 'KnowledgeChunk' THEN coalesce(m.quotation, m.statement) END AS statement,
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
  coalesce(vc.retention_score, 0.0) AS retention,
  m.embedding AS embedding
