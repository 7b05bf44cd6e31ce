// Whom the names of a batch mean already.
// mode: read
// params: user_id, keys
// returns: id, resolved_id
UNWIND $keys AS key
MATCH (a:AnchorName {id: key, user_id: $user_id})
RETURN a.name_id AS id, a.resolved_id AS resolved_id
