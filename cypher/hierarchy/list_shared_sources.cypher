// Sources that two storylines of one anchor include.
// mode: read
// params: user_id
// returns: anchor_id, source_id, storylines
MATCH (t:Storyline {user_id: $user_id})
WHERE @may_retire(t)
MATCH (t)-[:INCLUDES]->(s:Source)
WITH t.anchor_id AS anchor_id, s.id AS source_id, count(DISTINCT t.id) AS storylines
WHERE storylines > 1
RETURN anchor_id, source_id, storylines
ORDER BY anchor_id, source_id
LIMIT 100
