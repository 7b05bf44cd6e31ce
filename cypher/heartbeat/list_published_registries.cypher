// The paths of these users' HEARTBEAT.md, and the digest of what was published there.
// mode: read
// params: user_ids
// returns: user_id, path, sha256
MATCH (r:HeartbeatTaskRegistry)
WHERE r.user_id IN $user_ids
  AND r.sha256 IS NOT NULL
RETURN r.user_id AS user_id, r.path AS path, r.sha256 AS sha256
ORDER BY user_id
