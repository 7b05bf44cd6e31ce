// The accesses of some memories of a user are counted anew, or cannot be.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.uncounted = null,
  m.uncounted_with = null
RETURN m.id AS id
