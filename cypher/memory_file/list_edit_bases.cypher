// What was published in each of a user's files, against which an edit is told: the text with its entries.
// mode: read
// params: user_id
// returns: id, sha256, text, entries
MATCH (b:BoundedMemoryManifest {user_id: $user_id})
RETURN b.id AS id, b.sha256 AS sha256, b.published_text AS text, b.entries AS entries
