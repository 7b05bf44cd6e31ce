// What a tier of a user's holds, the least recently used first: what is stored of each, and nothing of what refers to it. Tombstones
// and archived ones are left out.
// mode: read
// params: user_id, tier, limit
// returns: id, kind, ref, state, ttl_policy, is_owner, tier, tiered_at, budgeted_at, token_count, created_at, changed_at, restored_at, last_accessed_at, recent_accesses, access_count, accessed_by, confidence, consolidated, severity
MATCH (m:Memory {user_id: $user_id, tier: $tier})
WHERE @is_living(m)
  AND @in_use(m)
RETURN m.id AS id,
  head([label IN labels(m) WHERE label <> 'Memory']) AS kind,
  m.ref AS ref,
  m.state AS state,
  m.ttl_policy AS ttl_policy,
  m.is_owner AS is_owner,
  m.tier AS tier,
  m.tiered_at AS tiered_at,
  m.budgeted_at AS budgeted_at,
  m.token_count AS token_count,
  m.created_at AS created_at,
  m.changed_at AS changed_at,
  m.restored_at AS restored_at,
  m.last_accessed_at AS last_accessed_at,
  m.recent_accesses AS recent_accesses,
  m.access_count AS access_count,
  m.accessed_by AS accessed_by,
  m.confidence AS confidence,
  m.consolidated AS consolidated,
  m.severity AS severity
ORDER BY coalesce(m.last_accessed_at, m.created_at), id
LIMIT $limit
