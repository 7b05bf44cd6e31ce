// What a stage of a user's file stands at.
// mode: read
// params: id, user_id
// returns: fingerprint
MATCH (s:StageState {id: $id, user_id: $user_id})
RETURN s.fingerprint AS fingerprint
