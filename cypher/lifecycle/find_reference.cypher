// Which of a user's memories a reference means, and how many sources say it.
// mode: read
// params: user_id, ref
// returns: memory_id, mentions
MATCH (m:Memory {user_id: $user_id, ref: $ref})
WHERE @is_living(m)
RETURN m.id AS memory_id, coalesce(m.source_count, 0) AS mentions
ORDER BY memory_id
