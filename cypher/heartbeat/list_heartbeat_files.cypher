// The further paths at which a user's HEARTBEAT.md stands.
// mode: read
// params: user_id
// returns: path
MATCH (f:MemoryFile {user_id: $user_id})
WHERE f.kind = 'heartbeat'
RETURN f.path AS path
ORDER BY path
