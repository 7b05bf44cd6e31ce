// A user's contexts of these sources are made: they are due no more, unless something has marked them since they were taken.
// mode: write
// params: rows, user_id, taken
// returns: id
UNWIND $rows AS row
MATCH (x:Extraction {user_id: $user_id, source_id: row.id})
@holds(x)
WITH row, x
WHERE x.uncompressed = $taken
SET x.uncompressed = null
RETURN row.id AS id
