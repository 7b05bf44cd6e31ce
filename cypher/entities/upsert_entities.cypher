// The entities of a batch that are not there yet (004, Step 2).
// Looked up by one label, then created with both: a MERGE on two uses no index on the embedded engine.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:Entity {id: row.id, user_id: $user_id})
WITH row, known
WHERE known IS NULL
CREATE (e:Memory:Entity {
  @new_anchor()
})
RETURN e.id AS id
