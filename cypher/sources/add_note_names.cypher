// The names under which notes have arrived, sorted: two files of one content are one note of two names.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (note:Source {id: row.id, user_id: $user_id})
UNWIND coalesce(note.note_names, []) + row.names AS name
WITH DISTINCT note, name
ORDER BY name
WITH note, collect(name) AS names
SET note.note_names = names
RETURN note.id AS id
