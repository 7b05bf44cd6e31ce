// A run takes up these sources: one that goes on where it was killed looks at them, though what leads to them may be gone by then.
// What marks one from now on is left for the next run.
// mode: write
// params: rows, user_id, taken
// returns: id
UNWIND $rows AS row
MATCH (x:Extraction {user_id: $user_id, source_id: row.id})
SET x.uncompressed = $taken
RETURN row.id AS id
