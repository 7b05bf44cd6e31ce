// What an agent has remembered for a user, as decisions and fixes, each in a source of its own.
// mode: write
// params: rows, user_id
// returns: made
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id, user_id: $user_id})
CREATE (m:Memory:MemoryEntry {
  id: row.id, user_id: $user_id, ref: row.ref, record_kind: 'MemoryEntry', memory_kind: row.kind, agent: 'ana',
  text: row.text, about: row.about, state: 'active', recorded_at: s.started_at, created_at: s.started_at
})
CREATE (m)-[:RECORDED_IN {user_id: $user_id}]->(s)
RETURN count(m) AS made
