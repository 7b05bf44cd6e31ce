// What some memories of a user say: statements as they are understood alone, records, and nothing of others.
// mode: read
// params: user_id, memory_ids
// returns: memory_id, ref, text
UNWIND $memory_ids AS wanted
MATCH (m:Memory {id: wanted, user_id: $user_id})
WHERE @is_living(m)
RETURN m.id AS memory_id,
  m.ref AS ref,
  CASE WHEN coalesce(m.statement, '') <> '' THEN m.statement ELSE coalesce(m.content, m.text) END AS text
