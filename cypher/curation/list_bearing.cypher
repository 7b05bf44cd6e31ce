// Which of some memories of a user supersede, contradict or were learned from which: these are not the same.
// mode: read
// params: user_id, ids
// returns: id, other_id
UNWIND $ids AS wanted
@owned_memory(wanted)
MATCH (m)-[r]-(o:Memory)
WHERE type(r) IN ['SUPERSEDES', 'CONTRADICTS', 'LEARNED_FROM', 'REFERS_TO']
RETURN DISTINCT m.id AS id, o.id AS other_id
