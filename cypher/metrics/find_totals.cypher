// What a user's values add up to, as the last scoring noted it (000, Value classification distribution).
// mode: read
// params: user_id
// returns: memories, tiers
MATCH (x:StageState {user_id: $user_id, stage: 'values'})
RETURN coalesce(x.memories, 0) AS memories,
  coalesce(x.tiers, '{}') AS tiers
