// Contexts of a user by their ids, with all that they are.
// mode: read
// params: ids, user_id
// returns: id, labels, properties
UNWIND $ids AS context_id
@owned_context(context_id)
RETURN c.id AS id, labels(c) AS labels, properties(c) AS properties
ORDER BY id
