// Notes by the names that links call them by.
// mode: read
// params: names, user_id
// returns: id, note_names
MATCH (note:Source {user_id: $user_id})
WHERE any(name IN note.note_names WHERE name IN $names)
RETURN note.id AS id, note.note_names AS note_names
