// The names of a user's profile, which the owner's own Person bears.
// mode: read
// params: user_id, id
// returns: names
MATCH (p:Person {id: $id, user_id: $user_id})
WHERE p.is_owner = true
RETURN [p.name] + coalesce(p.also, []) AS names
