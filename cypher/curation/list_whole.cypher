// Memories of a user as they are stored, whole: what a snapshot holds of each, its relationships apart.
// mode: read
// params: user_id, ids
// returns: id, labels, properties
UNWIND $ids AS wanted
@owned_memory(wanted)
RETURN m.id AS id, labels(m) AS labels, properties(m) AS properties
