// A run takes up sources, too, that nothing has marked: a run that goes on where it was killed looks at them, though what leads
// to them is gone by then.
// mode: write
// params: rows, user_id, taken
// returns: id
UNWIND $rows AS row
MATCH (x:Extraction {user_id: $user_id, source_id: row.id})
SET x.uncompressed = $taken
RETURN row.id AS id
