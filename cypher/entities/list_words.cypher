// What some memories of a user say: in the words in which it was said, and as a stranger understands it.
// mode: read
// params: user_id, ids
// returns: id, content, statement
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted, user_id: $user_id})
WHERE @is_living(m)
RETURN m.id AS id, coalesce(m.content, m.text, '') AS content, coalesce(m.statement, '') AS statement
ORDER BY id
