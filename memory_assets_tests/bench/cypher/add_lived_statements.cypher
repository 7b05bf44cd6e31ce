// Statements of a user that were used lately, judged and with their values: nothing of them is due.
// mode: write
// params: rows, user_id, at, embedder
// returns: made
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id, user_id: $user_id})
MATCH (n:Memory {id: row.about_id, user_id: $user_id})
CREATE (c:Memory:KnowledgeChunk {
  id: row.id, user_id: $user_id, ref: row.ref, content: row.content, statement: row.content, speaker: 'Nora',
  content_type: row.content_type, is_instruction: false, said_by_owner: true, durability: 0.7, confidence: 0.9,
  source_count: 1, state: 'active', ttl_policy: 'decay', salience: 0.9, salience_at: datetime($at), access_count: 3,
  recall_frequency: 3, decay_gradient: 1.0, last_accessed_at: datetime($at), occurred_at: s.started_at,
  created_at: s.started_at, ingested_at: s.started_at, fade_key: row.fade_key,
  embedding: row.embedding, embedder: CASE WHEN row.embedding IS NULL THEN null ELSE $embedder END
})
CREATE (s)-[:STATES {
  user_id: $user_id, excerpt: row.content, content: row.content, content_type: row.content_type, durability: 0.7,
  turn: row.turn, position: 0, speaker: 'Nora', said_by_owner: true
}]->(c)
CREATE (c)-[:ABOUT {user_id: $user_id}]->(n)
CREATE (v:ValueClassification {
  id: row.value_id, user_id: $user_id, memory_id: row.id, entity_type: 'KnowledgeChunk', section: row.section,
  value_score: row.value_score, retention_tier: 'SUMMARIZE', is_standing: false, rank_key: row.rank_key,
  occurred_at: s.started_at, fingerprint: row.fingerprint
})
CREATE (c)-[:HAS_VALUE]->(v)
RETURN count(c) AS made
