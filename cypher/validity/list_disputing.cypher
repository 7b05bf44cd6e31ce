// The statements of a user that contradict these, as the first of the two.
// mode: read
// params: user_id, ids
// returns: id
UNWIND $ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})<-[:CONTRADICTS {user_id: $user_id}]-(one:KnowledgeChunk)
RETURN DISTINCT one.id AS id
