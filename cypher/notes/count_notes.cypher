// How many notes a user's graph holds by lifetime, and how many of them the nightly cleaning may remove by now. The instant is
// read once, not for each of them.
// mode: read
// params: user_id, now
// returns: lifetime, notes, expired
WITH datetime($now) AS now
MATCH (n:Note {user_id: $user_id})
RETURN n.lifetime AS lifetime, count(n) AS notes,
  sum(CASE WHEN n.expires_at < now THEN 1 ELSE 0 END) AS expired
ORDER BY lifetime
