// The notes of a user that have expired by an instant and on which a description rests: found by the same range as
// list_expired.
// mode: read
// params: user_id, first, last, now
// returns: id
MATCH (n:Note)
WHERE n.expiry_key >= $first AND n.expiry_key <= $last
WITH n
WHERE n.user_id = $user_id
  AND n.expires_at <= datetime($now)
  AND EXISTS { MATCH (:Memory)-[:DESCRIBED_BY]->(n) }
RETURN n.id AS id
ORDER BY id
