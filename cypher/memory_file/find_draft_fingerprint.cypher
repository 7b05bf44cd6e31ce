// What a user's draft was made from.
// mode: read
// params: user_id
// returns: fingerprint
MATCH (d:MemoryDraft {user_id: $user_id})
RETURN d.fingerprint AS fingerprint
