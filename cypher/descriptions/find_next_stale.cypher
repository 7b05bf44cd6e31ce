// By which key the next description of a user's is due by time alone: the first of a range of one index.
// mode: read
// params: user_id, first, last
// returns: stale_key
MATCH (m:Memory)
WHERE m.stale_key > $first AND m.stale_key < $last
WITH m
WHERE m.user_id = $user_id
RETURN min(m.stale_key) AS stale_key
