// What a tier of a user's holds, the least recently used first: what is stored of each, and nothing of what refers to it. Tombstones
// and archived ones are left out.
// mode: read
// params: user_id, tier, limit
// returns: id, kind, ref, state, ttl_policy, is_owner, tier, tiered_at, budgeted_at, token_count, created_at, changed_at, restored_at, last_accessed_at, recent_accesses, access_count, accessed_by, confidence, consolidated, severity
MATCH (m:Memory {user_id: $user_id, tier: $tier})
WHERE @is_living(m)
  AND @in_use(m)
RETURN @stored_facts(m)
ORDER BY coalesce(m.last_accessed_at, m.created_at), id
LIMIT $limit
