// The memories that stand in a published file of a user's.
// mode: read
// params: user_id
// returns: id
MATCH (b:BoundedMemoryManifest {user_id: $user_id})
MATCH (b)-[:LISTS]->(m:Memory)
RETURN DISTINCT m.id AS id
