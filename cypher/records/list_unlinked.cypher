// The records of a user that refer to what they are not linked to yet.
// mode: read
// params: user_id
// returns: id, refers_to, learned_from
MATCH (m:Memory {unlinked: $user_id})
WHERE @is_living(m)
RETURN m.id AS id, m.refers_to AS refers_to, m.learned_from AS learned_from
ORDER BY id
