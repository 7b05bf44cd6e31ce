// How the values of a user's memories are spread, for the report of a run: by kind of memory, tier and step of
// 0.05 (a value of 1 is in the last, 19). total_score adds up their values.
// mode: read
// params: user_id
// returns: entity_type, tier, step, memories, total_score
MATCH (vc:ValueClassification {user_id: $user_id})
WITH vc, toInteger(vc.value_score * 20) AS step
RETURN vc.entity_type AS entity_type,
  vc.retention_tier AS tier,
  CASE WHEN step > 19 THEN 19 ELSE step END AS step,
  count(vc) AS memories,
  sum(vc.value_score) AS total_score
ORDER BY entity_type, tier, step
