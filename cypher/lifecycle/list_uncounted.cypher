// The memories of a user whose accesses are to be counted anew, each with those with whom it shares some.
// mode: read
// params: user_id
// returns: memory_id, with_ids
MATCH (m:Memory {uncounted: $user_id})
RETURN m.id AS memory_id, coalesce(m.uncounted_with, []) AS with_ids
ORDER BY memory_id
