// The relationships that do not link the anchors that their names mean now.
// mode: read
// params: user_id
// returns: id
MATCH (r:Relationship {user_id: $user_id})
OPTIONAL MATCH (f:AnchorName {name_id: coalesce(r.from_name_id, ''), user_id: $user_id})
OPTIONAL MATCH (t:AnchorName {name_id: coalesce(r.to_name_id, ''), user_id: $user_id})
WITH r, coalesce(f.resolved_id, r.from_name_id) AS from_id, coalesce(t.resolved_id, r.to_name_id) AS to_id
OPTIONAL MATCH (r)-[:RELATES_FROM]->(a:Memory)
OPTIONAL MATCH (r)-[:RELATES_TO]->(b:Memory)
WITH r, from_id, to_id, a, b
WHERE a IS NULL OR b IS NULL OR a.id <> from_id OR b.id <> to_id
RETURN DISTINCT r.id AS id
ORDER BY id
