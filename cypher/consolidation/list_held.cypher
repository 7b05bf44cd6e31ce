// The ids of a user's memories that somebody has decided about, or that are in a published file.
// mode: read
// params: user_id
// returns: memory_id, is_published
MATCH (d:Decision {user_id: $user_id})
WHERE d.memory_id IS NOT NULL
RETURN DISTINCT d.memory_id AS memory_id, false AS is_published
UNION ALL
MATCH (b:BoundedMemoryManifest {user_id: $user_id})
MATCH (b)-[:LISTS]->(m:Memory)
RETURN DISTINCT m.id AS memory_id, true AS is_published
