// How many relationships a user's graph holds by type.
// mode: read
// params: user_id
// returns: type, relationships
MATCH (r:Relationship {user_id: $user_id})
WHERE @in_use(r)
  AND coalesce(r.source_count, 0) > 0
RETURN r.type AS type, count(r) AS relationships
ORDER BY type
