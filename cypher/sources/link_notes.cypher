// Notes to the notes that they link to.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (note:Source {id: row.id, user_id: $user_id})
MATCH (target:Source {id: row.target, user_id: $user_id})
MERGE (note)-[:LINKS_TO]->(target)
RETURN note.id AS id
