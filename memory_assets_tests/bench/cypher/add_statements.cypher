// Statements of a user, said in a source, that nobody has scored.
// mode: write
// params: rows, user_id, source_id, now
// returns: made
MATCH (s:Source {id: $source_id, user_id: $user_id})
UNWIND $rows AS row
CREATE (c:Memory:KnowledgeChunk {
  id: row.id, user_id: $user_id, ref: row.ref, content: row.content, speaker: 'Nora', content_type: 'insight',
  is_instruction: false, said_by_owner: true, durability: 0.7, confidence: 0.9, source_count: 1, access_count: 0,
  embedding: row.embedding, state: 'candidate', occurred_at: datetime(row.at), created_at: datetime($now), unscored: $user_id, unjudged: $user_id
})
CREATE (s)-[:STATES {user_id: $user_id, excerpt: row.content, turn: 0}]->(c)
RETURN count(c) AS made
