// Which of a user's memories a reference refers to.
// mode: read
// params: user_id, ref
// returns: memory_id
MATCH (m:Memory {user_id: $user_id, ref: $ref})
WHERE @is_living(m)
RETURN m.id AS memory_id
ORDER BY memory_id
