// Every relationship of some owners' nodes, by its ends.
// mode: read
// params: user_ids
// returns: type, start_id, end_id
MATCH (a)-[r]->(b)
WHERE a.user_id IN $user_ids
RETURN type(r) AS type, a.id AS start_id, b.id AS end_id
