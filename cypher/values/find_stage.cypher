// What a derived stage of a user was last made from.
// mode: read
// params: id, user_id
// returns: fingerprint
MATCH (s:StageState {id: $id, user_id: $user_id})
RETURN s.fingerprint AS fingerprint
