// How many memories a user's file is chosen from, by tier as JSON text, and how far along each shelf it reads: what was
// noted when they were scored, so that it costs the same however many there are.
// mode: read
// params: user_id
// returns: considered, tiers, shelf_ends
MATCH (x:StageState {user_id: $user_id, stage: 'values'})
RETURN coalesce(x.memories, 0) AS considered,
  coalesce(x.tiers, '{}') AS tiers,
  coalesce(x.shelf_ends, '{}') AS shelf_ends
