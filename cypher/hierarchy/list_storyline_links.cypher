// What a user's storylines are about and what they include, so that only what is another now is written.
// mode: read
// params: user_id
// returns: id, anchor_ids, source_ids
MATCH (t:Storyline {user_id: $user_id})
OPTIONAL MATCH (t)-[:ABOUT]->(n:Memory)
WITH t, collect(DISTINCT n.id) AS anchor_ids
OPTIONAL MATCH (t)-[:INCLUDES]->(s:Source)
RETURN t.id AS id, anchor_ids, collect(DISTINCT s.id) AS source_ids
ORDER BY id
