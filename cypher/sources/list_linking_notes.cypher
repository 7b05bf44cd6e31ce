// Notes that link to others.
// mode: read
// params: user_id
// returns: id, links
MATCH (note:Source {user_id: $user_id})
WHERE note.links IS NOT NULL
RETURN note.id AS id, note.links AS links
