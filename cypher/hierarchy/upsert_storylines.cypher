// The storylines that are not there yet. Active from the start: the mentions that promoted them confirm
// them as a retrieval would, and macros form from active storylines (004).
// Looked up by one label, then created with both: a MERGE on two uses no index on the embedded engine.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:Storyline {id: row.id, user_id: $user_id})
WITH row, known
WHERE known IS NULL
CREATE (t:Memory:Storyline {
  id: row.id,
  user_id: $user_id,
  ref: row.ref,
  @new_memory('active', $now)
})
RETURN t.id AS id
