// The macros a user has, whole: what they were made from and group, and what an audit keeps of those that go.
// mode: read
// params: user_id
// returns: id, labels, properties, grouped_ids
MATCH (m:Macro {user_id: $user_id})
OPTIONAL MATCH (m)-[:GROUPS {user_id: $user_id}]->(t:Storyline)
WITH m, collect(t.id) AS grouped_ids
RETURN m.id AS id, labels(m) AS labels, properties(m) AS properties, grouped_ids
ORDER BY id
