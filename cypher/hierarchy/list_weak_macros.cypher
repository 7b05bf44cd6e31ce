// Macros that group fewer storylines than the specification asks for, or whose events lie too close together.
// mode: read
// params: user_id, least_storylines, least_days
// returns: id, title, storylines
MATCH (m:Macro {user_id: $user_id})
WHERE @may_retire(m)
OPTIONAL MATCH (m)-[:GROUPS]->(t:Storyline)
WITH m, count(DISTINCT t.id) AS storylines
WHERE storylines < $least_storylines
  OR m.first_event_at IS NULL
  OR m.last_event_at < m.first_event_at + duration({days: $least_days})
RETURN m.id AS id, m.title AS title, storylines
ORDER BY id
LIMIT 100
