// The storylines a user has, whole: what they were made from, and what an audit keeps of those that go.
// mode: read
// params: user_id
// returns: id, labels, properties
MATCH (t:Storyline {user_id: $user_id})
RETURN t.id AS id, labels(t) AS labels, properties(t) AS properties
ORDER BY id
