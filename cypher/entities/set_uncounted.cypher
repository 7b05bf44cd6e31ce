// Who is or was meant by names that mean somebody else now: the accesses are to be counted anew.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.uncounted = $user_id
RETURN m.id AS id
