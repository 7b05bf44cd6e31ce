// The memories of a user behind some references; those that no memory has are left out.
// mode: read
// params: user_id, refs
// returns: ref, id
UNWIND $refs AS wanted
MATCH (m:Memory {ref: wanted, user_id: $user_id})
RETURN m.ref AS ref, m.id AS id
ORDER BY ref, id
