// How many relationships a user's graph holds by type.
// mode: read
// params: user_id
// returns: type, relationships
MATCH (r:Relationship {user_id: $user_id})
WHERE @in_use(r)
RETURN r.type AS type, count(r) AS relationships
ORDER BY type
