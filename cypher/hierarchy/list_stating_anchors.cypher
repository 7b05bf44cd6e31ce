// Whom the sources mention that make these statements.
// mode: read
// params: user_id, ids
// returns: id, chunk_id
UNWIND $ids AS chunk_id
MATCH (c:KnowledgeChunk {id: chunk_id, user_id: $user_id})
MATCH (c)<-[:STATES {user_id: $user_id}]-(s:Source)
MATCH (s)-[:MENTIONS {user_id: $user_id}]->(n:Memory)
RETURN DISTINCT n.id AS id, chunk_id
