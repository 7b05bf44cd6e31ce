// The notes of a user that have expired by an instant and on which no description rests: found by a range of one index, so
// that it costs what has expired since the cleaning before, and what waits for a description: what stays under one is taken out
// of the range (clear_expiry_keys).
// mode: read
// params: user_id, first, last, now
// returns: id, labels, properties
MATCH (n:Note)
WHERE n.expiry_key >= $first AND n.expiry_key <= $last
WITH n
WHERE n.user_id = $user_id
  AND @has_expired(n, $now)
RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties
ORDER BY id
