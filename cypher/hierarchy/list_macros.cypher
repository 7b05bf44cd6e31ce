// The macros a user has, whole: what they were made from and group, and what an audit keeps of those that go.
// mode: read
// params: user_id
// returns: id, labels, properties, grouped_ids, arrived_at
MATCH (m:Macro {user_id: $user_id})
OPTIONAL MATCH (m)-[:GROUPS {user_id: $user_id}]->(t:Storyline)
WITH m, collect(t.id) AS grouped_ids, max(coalesce(t.ingested_at, t.created_at)) AS arrived_at
RETURN m.id AS id, labels(m) AS labels, properties(m) AS properties, grouped_ids, arrived_at
ORDER BY id
