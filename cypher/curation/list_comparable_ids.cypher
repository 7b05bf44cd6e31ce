// The ids of what may be compared of a user's: statements, and records of some kinds.
// mode: read
// params: user_id, kinds
// returns: id
MATCH (c:KnowledgeChunk {user_id: $user_id})
RETURN c.id AS id
UNION ALL
UNWIND $kinds AS kind
MATCH (m:Memory {record_kind: kind, user_id: $user_id})
RETURN m.id AS id
