// The people of a batch that are not there yet (004, Step 2).
// Looked up by one label, then created with both: a MERGE on two uses no index on the embedded engine.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:Person {id: row.id, user_id: $user_id})
WITH row, known
WHERE known IS NULL
CREATE (p:Memory:Person {
  @new_anchor()
})
RETURN p.id AS id
