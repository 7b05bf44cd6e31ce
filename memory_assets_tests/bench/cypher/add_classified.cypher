// Statements of a user with their values, as a scoring leaves them.
// mode: write
// params: rows, user_id, source_id, now
// returns: made
MATCH (s:Source {id: $source_id, user_id: $user_id})
UNWIND $rows AS row
CREATE (c:Memory:KnowledgeChunk {
  id: row.id, user_id: $user_id, ref: row.ref, content: row.content, speaker: 'Nora', content_type: row.content_type,
  is_instruction: false, said_by_owner: true, durability: 0.7, confidence: 0.9, source_count: 1, access_count: 0,
  embedding: row.embedding, state: 'candidate', ttl_policy: 'decay', occurred_at: datetime($now), created_at: datetime($now)
})
CREATE (s)-[:STATES {user_id: $user_id, excerpt: row.content, turn: 0}]->(c)
CREATE (v:ValueClassification {
  id: row.value_id, user_id: $user_id, memory_id: row.id, entity_type: 'KnowledgeChunk', section: row.section,
  value_score: row.value_score, retention_tier: 'SUMMARIZE', is_standing: false, rank_key: row.rank_key,
  occurred_at: datetime($now), fingerprint: row.id
})
CREATE (c)-[:HAS_VALUE]->(v)
RETURN count(v) AS made
