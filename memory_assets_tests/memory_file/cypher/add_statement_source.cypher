// That one more source says a statement of a user's, which as such stays what it is.
// mode: write
// params: user_id, id, source_id
// returns: id
MATCH (c:KnowledgeChunk {id: $id, user_id: $user_id})
MATCH (s:Source {id: $source_id})
MERGE (s)-[r:STATES {user_id: $user_id}]->(c)
SET r.turn = 0,
  c.unscored = $user_id
RETURN c.id AS id
