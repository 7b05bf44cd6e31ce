// The notes of a user that have expired by an instant and may go, and those on which a description rests: found by a range of
// one index, so that it costs what has expired since the cleaning before, and what waits for a description. What stays under
// one is taken out of the range (clear_expiry_keys).
// mode: read
// params: user_id, first, last, now
// returns: id, labels, properties, is_held
MATCH (n:Note)
WHERE n.expiry_key >= $first AND n.expiry_key <= $last
WITH n
WHERE n.user_id = $user_id
  AND n.expires_at <= datetime($now)
WITH n, EXISTS { MATCH (:Memory)-[:DESCRIBED_BY]->(n) } AS is_held
WHERE is_held OR (@has_expired(n, $now))
RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties, is_held
ORDER BY id
