// Have memories of a user name their days anew: other rules have others.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.unaged = $user_id
RETURN m.id AS id
