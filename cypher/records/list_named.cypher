// The living records of a user by their agents' own ids.
// mode: read
// params: user_id, names
// returns: name, id
UNWIND $names AS wanted
MATCH (m:Memory {record_id: wanted, user_id: $user_id})
WHERE @is_living(m)
RETURN wanted AS name, m.id AS id
