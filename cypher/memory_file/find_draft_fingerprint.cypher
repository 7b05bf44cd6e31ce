// What the draft of one of a user's files was made from.
// mode: read
// params: user_id, id
// returns: fingerprint
MATCH (d:MemoryDraft {id: $id, user_id: $user_id})
RETURN d.fingerprint AS fingerprint
