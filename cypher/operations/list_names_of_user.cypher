// The names of a user's profile.
// mode: read
// params: user_id
// returns: names
MATCH (u:User {user_id: $user_id})
RETURN coalesce(u.names, []) AS names
