// All notes of a user may be due: they are to be made from something else.
// mode: write
// params: user_id
// returns: sources
MATCH (x:Extraction {user_id: $user_id})
SET x.unnoted = $user_id
RETURN count(x) AS sources
