// The memories of a user of which it is not known on which day they will have faded: each statement that writes what that
// follows from marks it, so that it costs what has changed.
// mode: read
// params: user_id
// returns: memory_id
MATCH (m:Memory {unaged: $user_id})
RETURN m.id AS memory_id
ORDER BY memory_id
