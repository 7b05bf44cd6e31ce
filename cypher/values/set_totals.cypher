// What the values of a user add up to, beside the mark of their stage: how many, by tier as JSON text, and as JSON text
// the key of the last of the first memories of each long shelf, up to which a file is chosen from.
// mode: write
// params: id, user_id, memories, tiers, shelf_ends
// returns: id
MATCH (x:StageState {id: $id, user_id: $user_id})
SET x.memories = $memories,
  x.tiers = $tiers,
  x.shelf_ends = $shelf_ends
RETURN x.id AS id
