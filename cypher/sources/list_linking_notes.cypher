// Notes that link to any of these names.
// mode: read
// params: names, user_id
// returns: id, links
MATCH (note:Source {user_id: $user_id})
WHERE any(link IN note.links WHERE link IN $names)
RETURN note.id AS id, note.links AS links
