// The doubts of a user's agents, open or settled.
// mode: read
// params: user_id
// returns: id
MATCH (d:Decision {user_id: $user_id, kind: 'doubt'})
RETURN d.id AS id
