// The records of a batch that are new, each with both labels at its creation: no engine takes a label as a parameter.
// What they say follows in set_records.
// mode: write
// params: rows, user_id, now
// returns: -
UNWIND $rows AS row
FOREACH (one IN CASE WHEN row.record_kind = 'Belief' THEN [1] ELSE [] END |
  CREATE (:Memory:Belief {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
FOREACH (one IN CASE WHEN row.record_kind = 'Reflection' THEN [1] ELSE [] END |
  CREATE (:Memory:Reflection {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
FOREACH (one IN CASE WHEN row.record_kind = 'Task' THEN [1] ELSE [] END |
  CREATE (:Memory:Task {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
FOREACH (one IN CASE WHEN row.record_kind = 'Analysis' THEN [1] ELSE [] END |
  CREATE (:Memory:Analysis {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
FOREACH (one IN CASE WHEN row.record_kind = 'Recommendation' THEN [1] ELSE [] END |
  CREATE (:Memory:Recommendation {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
FOREACH (one IN CASE WHEN row.record_kind = 'Synthesis' THEN [1] ELSE [] END |
  CREATE (:Memory:Synthesis {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
FOREACH (one IN CASE WHEN row.record_kind = 'Notification' THEN [1] ELSE [] END |
  CREATE (:Memory:Notification {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
FOREACH (one IN CASE WHEN row.record_kind = 'SessionContext' THEN [1] ELSE [] END |
  CREATE (:Memory:SessionContext {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
FOREACH (one IN CASE WHEN row.record_kind = 'MemoryEntry' THEN [1] ELSE [] END |
  CREATE (:Memory:MemoryEntry {id: row.id, user_id: $user_id, @new_memory(row.state, $now)})
)
