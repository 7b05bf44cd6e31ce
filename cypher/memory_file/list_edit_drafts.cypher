// A user's drafts: what a stop in the middle of a publication may have left in a file.
// mode: read
// params: user_id
// returns: id, sha256, text, entries, left_out
MATCH (d:MemoryDraft {user_id: $user_id})
RETURN d.id AS id, d.sha256 AS sha256, d.text AS text, d.entries AS entries, d.left_out AS left_out
