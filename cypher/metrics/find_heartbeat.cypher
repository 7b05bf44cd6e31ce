// The tokens of a user's published HEARTBEAT.md.
// mode: read
// params: user_id
// returns: tokens
MATCH (r:HeartbeatTaskRegistry {user_id: $user_id})
WHERE r.sha256 IS NOT NULL
RETURN r.current_tokens AS tokens
