// The most valuable of a user's memories among those given, for the report of a draft.
// mode: read
// params: user_id, memory_ids, limit
// returns: memory_id, section, value_score
UNWIND $memory_ids AS memory_id
MATCH (vc:ValueClassification {user_id: $user_id, memory_id: memory_id})
RETURN memory_id,
  vc.section AS section,
  vc.value_score AS value_score
ORDER BY value_score DESC, memory_id
LIMIT $limit
