// How many storylines a user has, whatever has become of them.
// mode: read
// params: user_id
// returns: storylines
MATCH (t:Storyline {user_id: $user_id})
RETURN count(t) AS storylines
