// Some of a user's people, concepts, entities and relationships are to be described anew: the way of describing is another one.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET @becomes_dirty(m, $now)
RETURN m.id AS id
