// When sources that were looked at, and have become nothing, are to be looked at again by themselves; and of those that have
// rested, when they happened, by which what rests later finds them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.rest_key = row.rest_key,
  m.rested_key = row.rested_key
RETURN m.id AS id
