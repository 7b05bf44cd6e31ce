// What a consolidation of a user's has archived, and nobody has asked for since.
// mode: read
// params: user_id, id
// returns: id, labels
MATCH (m:Memory {folded_by: $id})
WHERE m.user_id = $user_id
RETURN m.id AS id, labels(m) AS labels
ORDER BY id
