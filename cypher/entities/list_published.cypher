// The memories that stand in a published file of a user's, each since when that file was made.
// mode: read
// params: user_id
// returns: id, since
MATCH (b:BoundedMemoryManifest {user_id: $user_id})
MATCH (b)-[:LISTS]->(m:Memory)
RETURN m.id AS id, min(b.generated_at) AS since
