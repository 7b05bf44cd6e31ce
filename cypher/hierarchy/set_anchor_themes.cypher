// Anchors that have a macro, and those that have none any more.
// mode: write
// params: user_id, anchor_ids
// returns: id
MATCH (n:Person|Concept|Entity {user_id: $user_id})
WHERE n.has_macro = true OR n.id IN $anchor_ids
SET n.has_macro = (n.id IN $anchor_ids)
RETURN n.id AS id
