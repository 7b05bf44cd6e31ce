// Which storylines a user has, and whom or what each is of.
// mode: read
// params: user_id
// returns: id, anchor_id
MATCH (t:Storyline {user_id: $user_id})
RETURN t.id AS id, t.anchor_id AS anchor_id
ORDER BY id
