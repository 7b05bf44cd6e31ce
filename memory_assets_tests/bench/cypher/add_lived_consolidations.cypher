// Consolidations of a user that were carried out and looked at long ago, each with an insight about whom its sources name.
// mode: write
// params: rows, user_id, at
// returns: made
UNWIND $rows AS row
CREATE (k:Consolidation {
  id: row.id, user_id: $user_id, ref: row.ref, status: 'done', about: row.title, why: 'they have rested',
  source_ids: row.source_ids, note_ids: [row.insight_id], folded_ids: [], insights: '[]', kept: '{}', kept_turns: '{}',
  first_at: row.started_at, last_at: row.started_at, planned_at: $at, carried_out_at: $at, checked_at: datetime($at)
})
CREATE (o:Note {
  id: row.insight_id, user_id: $user_id, content: row.title, lifetime: 'forever', noted_at: datetime($at)
})
WITH row, o
MATCH (n:Memory {id: row.anchor_id, user_id: $user_id})
MATCH (c:KnowledgeChunk {id: row.statement_id, user_id: $user_id})
CREATE (n)-[:HAS_NOTE {user_id: $user_id}]->(o)
CREATE (o)-[:RESTS_ON {user_id: $user_id, consolidation_id: row.id}]->(c)
WITH row, o
UNWIND row.source_ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
CREATE (o)-[:TAKEN_FROM {user_id: $user_id, step: 'consolidation/' + row.id}]->(s)
RETURN count(s) AS made
