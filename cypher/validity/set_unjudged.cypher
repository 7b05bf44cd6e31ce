// Have statements of a user judged again: another recipe has another opinion.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
SET c.unjudged = $user_id
RETURN c.id AS id
