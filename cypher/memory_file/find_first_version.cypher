// The first day of which a text of one of the user's files is stored.
// mode: read
// params: user_id
// returns: day
MATCH (v:FileVersion {user_id: $user_id})
RETURN min(v.day) AS day
