// What a derived stage of a user was last made from; no row when never, or not to its end.
// mode: read
// params: user_id, stage
// returns: fingerprint
MATCH (x:StageState {user_id: $user_id, stage: $stage})
RETURN x.fingerprint AS fingerprint
