// When the next of a user's notes of one day expires that has not expired by an instant.
// mode: read
// params: user_id, expiry_key, now
// returns: expires_at
MATCH (n:Note)
WHERE n.expiry_key = $expiry_key
WITH n
WHERE n.user_id = $user_id
  AND n.expires_at > datetime($now)
RETURN min(n.expires_at) AS expires_at
