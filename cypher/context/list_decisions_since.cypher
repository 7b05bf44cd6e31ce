// What an agent has remembered for a user as decisions since an instant and the user may read, the latest first.
// mode: read
// params: user_id, user_ids, kind, agent, since, limit
// returns: id, ref, text
MATCH (m:Memory {memory_kind: $kind, user_id: $user_id})
WHERE m.agent = $agent
  AND m.recorded_at >= datetime($since)
  AND @is_living(m)
  AND @in_use(m)
  AND EXISTS {
    MATCH (m)-[:RECORDED_IN {user_id: $user_id}]->(s:Source)
    WHERE @may_read(s)
  }
RETURN m.id AS id, m.ref AS ref, m.text AS text
ORDER BY m.recorded_at DESC, id
LIMIT $limit
