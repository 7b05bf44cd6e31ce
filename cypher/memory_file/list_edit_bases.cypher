// What was published in each of a user's files, against which an edit is found: the text with its entries, and which publication it is.
// mode: read
// params: user_id
// returns: id, path, sha256, version, text, entries, left_out
MATCH (b:BoundedMemoryManifest {user_id: $user_id})
RETURN b.id AS id, b.path AS path, b.sha256 AS sha256, b.version AS version, b.published_text AS text, b.entries AS entries, b.left_out AS left_out
