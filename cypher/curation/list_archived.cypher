// A user's memories that are archived, all of them: no tombstones, and no records of which their agents say so.
// mode: read
// params: user_id
// returns: memory_id, label, is_owner, archived_at
MATCH (m:Memory {user_id: $user_id, state: 'archived'})
WHERE @is_living(m)
  AND coalesce(m.stated_state, 'active') <> 'archived'
RETURN m.id AS memory_id,
  head([label IN labels(m) WHERE label <> 'Memory']) AS label,
  coalesce(m.is_owner, false) AS is_owner,
  m.archived_at AS archived_at
