// What some turns of these sources state.
// mode: write
// params: rows, user_id
// returns: made
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id, user_id: $user_id})
CREATE (c:Memory:KnowledgeChunk {
  id: row.id, user_id: $user_id, ref: row.ref, content: row.content, statement: row.content, speaker: row.speaker,
  state: 'active', ttl_policy: 'decay', occurred_at: s.started_at, created_at: s.started_at, is_disputed: row.is_disputed
})
CREATE (s)-[:STATES {user_id: $user_id, content: row.content, turn: row.turn, position: 0, speaker: row.speaker}]->(c)
RETURN count(c) AS made
