// What a tier of a user's holds, tombstones and archived ones left out. A tier is bounded by its budget: what came in since the
// last cycle comes on top.
// mode: read
// params: user_id, tier, limit
// returns: id
MATCH (m:Memory {user_id: $user_id, tier: $tier})
WHERE @is_living(m)
  AND @in_use(m)
RETURN m.id AS id
LIMIT $limit
