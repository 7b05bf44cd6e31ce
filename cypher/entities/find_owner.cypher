// The owner's own Person, as the profile says.
// mode: read
// params: user_id, id
// returns: id, name, canonical_name, also
MATCH (p:Person {id: $id, user_id: $user_id})
WHERE p.is_owner = true
RETURN p.id AS id, p.name AS name, p.canonical_name AS canonical_name, coalesce(p.also, []) AS also
