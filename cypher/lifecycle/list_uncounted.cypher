// The memories of a user whose accesses are to be counted anew.
// mode: read
// params: user_id
// returns: memory_id
MATCH (m:Memory {uncounted: $user_id})
RETURN m.id AS memory_id
ORDER BY memory_id
