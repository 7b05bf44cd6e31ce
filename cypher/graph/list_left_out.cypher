// The memories that somebody has decided to leave out: they are worth nothing to the user, and say nothing of others, until
// that is taken back.
// mode: read
// params: user_id
// returns: memory_id
MATCH (d:Decision {user_id: $user_id, kind: 'edit'})
WHERE d.is_out
RETURN d.memory_id AS memory_id
ORDER BY memory_id
