// How many memories a user's file is chosen from.
// mode: read
// params: user_id
// returns: considered
MATCH (vc:ValueClassification {user_id: $user_id})
RETURN count(vc) AS considered
