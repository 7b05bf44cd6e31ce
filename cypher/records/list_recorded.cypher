// Which records some sources of a user are linked to as theirs.
// mode: read
// params: user_id, ids
// returns: source_id, id
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})<-[:RECORDED_IN {user_id: $user_id}]-(m:Memory)
WHERE @is_living(m)
RETURN s.id AS source_id, m.id AS id
