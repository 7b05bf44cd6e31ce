// The macros that are not there yet. Active from the start, like the storylines they group.
// Looked up by one label, then created with both: a MERGE on two uses no index on the embedded engine.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:Macro {id: row.id, user_id: $user_id})
WITH row, known
WHERE known IS NULL
CREATE (m:Memory:Macro {
  id: row.id,
  user_id: $user_id,
  ref: row.ref,
  @new_memory('active', $now)
})
RETURN m.id AS id
