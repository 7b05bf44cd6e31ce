// The statements that somebody has decided to leave out of a user's memory.
// mode: read
// params: user_id
// returns: chunk_id
MATCH (d:Decision {user_id: $user_id, kind: 'edit'})
WHERE d.is_out
RETURN d.memory_id AS chunk_id
