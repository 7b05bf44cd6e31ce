// Archive a statement, as curation will.
// mode: write
// params: user_id, id
// returns: id
MATCH (c:KnowledgeChunk {id: $id, user_id: $user_id})
SET c.state = 'archived',
    c.unscored = $user_id,
    c.unjudged = $user_id,
    c.access_count = coalesce(c.access_count, 0) + 1
RETURN c.id AS id
