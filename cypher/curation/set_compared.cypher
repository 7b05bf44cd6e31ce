// Statements have been compared with the others.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.uncompared = null
RETURN m.id AS id
