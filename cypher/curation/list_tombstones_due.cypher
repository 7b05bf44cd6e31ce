// The tombstones of a user whose time is over, the oldest first.
// mode: read
// params: user_id, last, limit
// returns: id, version, label, reason
MATCH (m:Memory)
WHERE m.tombstone_key > '' AND m.tombstone_key <= $last
WITH m
WHERE m.user_id = $user_id
RETURN m.id AS id,
  m.version AS version,
  head([label IN labels(m) WHERE label <> 'Memory']) AS label,
  'it was a tombstone for 30 days' AS reason
ORDER BY m.tombstone_key
LIMIT $limit
