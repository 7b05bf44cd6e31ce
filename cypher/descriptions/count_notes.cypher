// How many notes a user has.
// mode: read
// params: user_id
// returns: notes
MATCH (n:Note {user_id: $user_id})
RETURN count(n) AS notes
