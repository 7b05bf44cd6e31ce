// The memories of a user, of those whose day is not known, that were retrieved after mentions had confirmed them.
// mode: read
// params: user_id
// returns: memory_id
MATCH (m:Memory {unaged: $user_id})
WHERE m.promoted_at <= m.last_accessed_at
RETURN m.id AS memory_id
ORDER BY memory_id
