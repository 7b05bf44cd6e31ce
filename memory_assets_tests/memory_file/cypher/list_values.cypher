// A user's values with the memories that they hang on.
// mode: read
// params: user_id
// returns: id, memory_id, section, tier, score, owner
MATCH (m:Memory)-[:HAS_VALUE]->(vc:ValueClassification {user_id: $user_id})
RETURN vc.id AS id, vc.memory_id AS memory_id, vc.section AS section, vc.retention_tier AS tier, vc.value_score AS score, m.user_id AS owner
ORDER BY memory_id
