// Store the text that was published with its manifest: what somebody changes in the file is found by comparison with it.
// mode: write
// params: id, user_id, text
// returns: id
MATCH (b:BoundedMemoryManifest {id: $id, user_id: $user_id})
SET b.published_text = $text
RETURN b.id AS id
