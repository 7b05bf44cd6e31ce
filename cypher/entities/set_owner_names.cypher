// What the owner is called, by the profile.
// mode: write
// params: id, user_id, name, canonical_name, also, now
// returns: id
MATCH (p:Person {id: $id, user_id: $user_id})
SET p.name = $name,
  p.canonical_name = $canonical_name,
  p.also = $also,
  p.untold = $user_id,
  p.untold_from_at = null,
  p.updated_at = datetime($now)
RETURN p.id AS id
