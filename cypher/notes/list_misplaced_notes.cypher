// The notes that are not linked to the anchor that their name means now, in their own source where it is ambiguous.
// What a source mentions is read for these alone, not for each note that is linked correctly.
// mode: read
// params: user_id
// returns: id, name_id
MATCH (n:Note {user_id: $user_id})
WHERE n.name_id IS NOT NULL
OPTIONAL MATCH (a:AnchorName {name_id: coalesce(n.name_id, ''), user_id: $user_id})
OPTIONAL MATCH (m:Memory)-[:HAS_NOTE {user_id: $user_id}]->(n)
WITH n, a, m
WHERE m IS NULL OR size(a.resolved_ids) > 1 OR m.id <> coalesce(a.resolved_id, n.name_id)
OPTIONAL MATCH (n)-[:TAKEN_FROM {user_id: $user_id}]->(:Source)-[x:MENTIONS {user_id: $user_id}]->(p:Memory)
WHERE size(a.resolved_ids) > 1 AND coalesce(x.name_id, p.id) = n.name_id AND p.user_id = $user_id
WITH n, a, m, min(p.id) AS here_id
WITH n, m, coalesce(here_id, a.resolved_id, n.name_id) AS anchor_id
WHERE m IS NULL OR m.id <> anchor_id
RETURN DISTINCT n.id AS id, n.name_id AS name_id
ORDER BY id
