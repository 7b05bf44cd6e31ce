// Records that are linked to all that they refer to.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.unlinked = null
RETURN m.id AS id
