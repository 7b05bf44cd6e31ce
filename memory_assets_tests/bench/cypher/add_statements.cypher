// Statements of a user that nobody has scored.
// mode: write
// params: rows, user_id, now
// returns: made
UNWIND $rows AS row
CREATE (c:Memory:KnowledgeChunk {
  id: row.id, user_id: $user_id, ref: row.ref, content: row.content, speaker: 'Nora', content_type: 'insight',
  is_instruction: false, said_by_owner: true, durability: 0.6, confidence: 0.9, source_count: 1, access_count: 0,
  embedding: row.embedding, state: 'candidate', occurred_at: datetime(row.at), created_at: datetime($now), unscored: $user_id
})
RETURN count(c) AS made
