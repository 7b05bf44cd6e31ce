// The further paths of these users' HEARTBEAT.md.
// mode: read
// params: user_ids
// returns: user_id, path
MATCH (f:MemoryFile)
WHERE f.user_id IN $user_ids
  AND f.kind = 'heartbeat'
RETURN f.user_id AS user_id, f.path AS path
ORDER BY user_id, path
