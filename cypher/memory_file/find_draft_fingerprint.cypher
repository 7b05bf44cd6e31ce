// What the draft of one of a user's files was made from, and when time alone may make another one of it.
// mode: read
// params: user_id, id
// returns: fingerprint, changes_at
MATCH (d:MemoryDraft {id: $id, user_id: $user_id})
RETURN d.fingerprint AS fingerprint, d.changes_at AS changes_at
