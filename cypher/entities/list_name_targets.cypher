// Whom the names of a batch mean already.
// mode: read
// params: user_id, ids
// returns: id, resolved_id
UNWIND $ids AS name_id
MATCH (a:AnchorName {id: name_id, user_id: $user_id})
RETURN a.id AS id, a.resolved_id AS resolved_id
