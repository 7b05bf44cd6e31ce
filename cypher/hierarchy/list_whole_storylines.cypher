// Of a user's storylines these, whole, with what they are about and include, and when the last of that arrived: what they were
// made from, and what an audit keeps of those that go.
// mode: read
// params: user_id, ids
// returns: id, labels, properties, anchor_ids, source_ids, arrived_at
UNWIND $ids AS wanted
MATCH (t:Storyline {id: wanted, user_id: $user_id})
OPTIONAL MATCH (t)-[:ABOUT]->(n:Memory)
WITH t, collect(DISTINCT n.id) AS anchor_ids
OPTIONAL MATCH (t)-[:INCLUDES]->(s:Source)
WITH t, anchor_ids, collect(DISTINCT s.id) AS source_ids, max(coalesce(s.ingested_at, s.created_at)) AS arrived_at
RETURN t.id AS id, labels(t) AS labels, properties(t) AS properties, anchor_ids, source_ids, arrived_at
ORDER BY id
