// A statement that no source makes any more.
// mode: write
// params: user_id, id
// returns: id
MATCH (c:KnowledgeChunk {id: $id, user_id: $user_id})<-[r:STATES {user_id: $user_id}]-(:Source)
SET c.ttl_policy = 'decay'
DELETE r
RETURN DISTINCT c.id AS id
