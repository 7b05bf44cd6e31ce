// The macros a user has, whole: what they were made from, and what an audit keeps of those that go.
// mode: read
// params: user_id
// returns: id, labels, properties
MATCH (m:Macro {user_id: $user_id})
RETURN m.id AS id, labels(m) AS labels, properties(m) AS properties
ORDER BY id
