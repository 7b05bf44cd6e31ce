// What a user's manifest lists.
// mode: read
// params: user_id
// returns: memory_id, section, position
MATCH (b:BoundedMemoryManifest {user_id: $user_id})-[l:LISTS]->(m:Memory)
RETURN m.id AS memory_id, l.section AS section, l.position AS position
ORDER BY position
