// That a statement of a user's is said by its owner, or that it was said elsewhere in its source.
// mode: write
// params: user_id, id, said_by_owner, turn
// returns: id
MATCH (c:KnowledgeChunk {id: $id, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(:Source)
SET c.said_by_owner = $said_by_owner,
  c.unscored = $user_id,
  r.turn = $turn
RETURN c.id AS id
