// When the next of a user's notes expires that has not expired by an instant, among those of a range of days.
// mode: read
// params: user_id, first, last, now
// returns: expires_at
MATCH (n:Note)
WHERE n.expiry_key >= $first AND n.expiry_key < $last
WITH n
WHERE n.user_id = $user_id
  AND n.expires_at > datetime($now)
RETURN min(n.expires_at) AS expires_at
