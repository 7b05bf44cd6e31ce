// Which of a user's memories a reference means, and how many sources say it.
// mode: read
// params: user_id, ref
// returns: memory_id, mentions
MATCH (m:Memory {user_id: $user_id, ref: $ref})
WHERE @is_living(m)
RETURN m.id AS memory_id,
  CASE WHEN m:Storyline OR m:Macro THEN 0 ELSE coalesce(m.source_count, 0) END AS mentions
ORDER BY memory_id
