// Memories of any kind, with whatever properties a row has.
UNWIND $rows AS row
FOREACH (x IN CASE WHEN row.label = 'Belief' THEN [1] ELSE [] END | CREATE (:Memory:Belief {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Reflection' THEN [1] ELSE [] END | CREATE (:Memory:Reflection {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Task' THEN [1] ELSE [] END | CREATE (:Memory:Task {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Analysis' THEN [1] ELSE [] END | CREATE (:Memory:Analysis {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Recommendation' THEN [1] ELSE [] END | CREATE (:Memory:Recommendation {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Synthesis' THEN [1] ELSE [] END | CREATE (:Memory:Synthesis {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Notification' THEN [1] ELSE [] END | CREATE (:Memory:Notification {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'SessionContext' THEN [1] ELSE [] END | CREATE (:Memory:SessionContext {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'MemoryEntry' THEN [1] ELSE [] END | CREATE (:Memory:MemoryEntry {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'KnowledgeChunk' THEN [1] ELSE [] END | CREATE (:Memory:KnowledgeChunk {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Person' THEN [1] ELSE [] END | CREATE (:Memory:Person {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Source' THEN [1] ELSE [] END | CREATE (:Memory:Source {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Agent' THEN [1] ELSE [] END | CREATE (:Memory:Agent {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'AgentKey' THEN [1] ELSE [] END | CREATE (:Memory:AgentKey {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'Migration' THEN [1] ELSE [] END | CREATE (:Memory:Migration {id: row.id}))
FOREACH (x IN CASE WHEN row.label = 'SystemConfig' THEN [1] ELSE [] END | CREATE (:Memory:SystemConfig {id: row.id}))
WITH row
MATCH (m:Memory {id: row.id})
SET m += row,
  m.label = null,
  m.user_id = $user_id
FOREACH (key IN [key IN keys(row) WHERE key ENDS WITH '_at'] | SET m[key] = datetime(row[key]))
