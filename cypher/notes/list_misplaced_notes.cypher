// The notes that do not stand at the anchor that their name stands for now.
// mode: read
// params: user_id
// returns: id, name_id
MATCH (n:Note {user_id: $user_id})
WHERE n.name_id IS NOT NULL
OPTIONAL MATCH (a:AnchorName {name_id: n.name_id, user_id: $user_id})
WITH n, coalesce(a.resolved_id, n.name_id) AS anchor_id
OPTIONAL MATCH (m:Memory)-[:HAS_NOTE {user_id: $user_id}]->(n)
WITH n, anchor_id, m
WHERE m IS NULL OR m.id <> anchor_id
RETURN DISTINCT n.id AS id, n.name_id AS name_id
ORDER BY id
