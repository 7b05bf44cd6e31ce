// The statements that no storyline of a user is told by: what later ones supersede, all of it or a clause, and what somebody has
// decided to leave out.
// mode: read
// params: user_id
// returns: chunk_id
UNWIND ['wholly', 'in part'] AS outdated
MATCH (c:KnowledgeChunk {user_id: $user_id, outdated: outdated})
RETURN c.id AS chunk_id
UNION
MATCH (d:Decision {user_id: $user_id, kind: 'edit'})
WHERE d.is_out
RETURN d.memory_id AS chunk_id
