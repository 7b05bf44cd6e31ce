// Memories that were removed are nodes again, of their type; all else follows in the same transaction (restore_properties).
// Labels are no parameters on the embedded engine, so that each type is written out.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:Memory {id: row.id})
WITH row, known
WHERE known IS NULL
FOREACH (x IN CASE row.label WHEN 'Belief' THEN [1] ELSE [] END |
  CREATE (:Memory:Belief {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'Reflection' THEN [1] ELSE [] END |
  CREATE (:Memory:Reflection {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'Task' THEN [1] ELSE [] END |
  CREATE (:Memory:Task {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'Analysis' THEN [1] ELSE [] END |
  CREATE (:Memory:Analysis {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'Recommendation' THEN [1] ELSE [] END |
  CREATE (:Memory:Recommendation {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'Synthesis' THEN [1] ELSE [] END |
  CREATE (:Memory:Synthesis {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'Notification' THEN [1] ELSE [] END |
  CREATE (:Memory:Notification {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'SessionContext' THEN [1] ELSE [] END |
  CREATE (:Memory:SessionContext {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'MemoryEntry' THEN [1] ELSE [] END |
  CREATE (:Memory:MemoryEntry {id: row.id, user_id: $user_id}))
FOREACH (x IN CASE row.label WHEN 'KnowledgeChunk' THEN [1] ELSE [] END |
  CREATE (:Memory:KnowledgeChunk {id: row.id, user_id: $user_id}))
RETURN row.id AS id
