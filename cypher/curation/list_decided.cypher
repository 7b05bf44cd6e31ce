// The memories of a user that somebody has decided something about that holds: none of them is merged unasked.
// mode: read
// params: user_id
// returns: id
MATCH (d:Decision {user_id: $user_id})
WHERE d.is_in_force
UNWIND [d.memory_id, d.other_id, d.merged_id, d.by_memory_id] AS id
WITH DISTINCT id
WHERE id IS NOT NULL
RETURN id
ORDER BY id
