// Archived memories that a published file of a user's lists.
// mode: read
// params: user_id
// returns: path, ref, memory_id
MATCH (b:BoundedMemoryManifest {user_id: $user_id})
MATCH (b)-[:LISTS]->(m:Memory)
WHERE NOT (@in_use(m))
RETURN b.path AS path, m.ref AS ref, m.id AS memory_id
ORDER BY path, memory_id
LIMIT 100
