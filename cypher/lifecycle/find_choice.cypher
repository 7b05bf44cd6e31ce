// What somebody has chosen of how long a memory lives: the choice in force with this id.
// mode: read
// params: user_id, id
// returns: memory_id, ref, before
MATCH (d:Decision {id: $id, user_id: $user_id, kind: 'ttl'})
WHERE d.is_in_force
RETURN d.memory_id AS memory_id, d.ref AS ref, d.before AS before
