// Whom the sources mention that state something of these, and when the first of it was stated.
// mode: read
// params: user_id, ids
// returns: id, since
UNWIND $ids AS wanted
MATCH (p:Memory {id: wanted, user_id: $user_id})
MATCH (p)<-[:ABOUT {user_id: $user_id}]-(c:KnowledgeChunk)
MATCH (c)<-[:STATES {user_id: $user_id}]-(s:Source)
MATCH (s)-[:MENTIONS {user_id: $user_id}]->(n:Memory)
RETURN n.id AS id, min(s.started_at) AS since
