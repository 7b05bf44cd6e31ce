// Statements of a user with the sources (of any owner) that state them.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MERGE (c:Memory:KnowledgeChunk {id: row.id, user_id: $user_id})
SET c.ref = row.ref,
    c.content = row.content,
    c.statement = row.statement,
    c.speaker = row.speaker,
    c.content_type = row.content_type,
    c.is_instruction = row.is_instruction,
    c.said_by_owner = row.said_by_owner,
    c.durability = 0.7,
    c.confidence = 0.9,
    c.source_count = 1,
    c.access_count = 0,
    c.embedding = row.embedding,
    c.occurred_at = s.started_at,
    c.state = 'candidate',
    c.unscored = $user_id,
    c.unjudged = $user_id,
    c.created_at = datetime($now)
MERGE (s)-[r:STATES {user_id: $user_id}]->(c)
SET r.excerpt = row.content,
    r.turn = 0
RETURN c.id AS id
