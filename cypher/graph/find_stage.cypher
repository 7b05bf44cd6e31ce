// What a derived stage of a user was last made from, and when; no row when never, or not to its end.
// mode: read
// params: user_id, stage
// returns: fingerprint, completed_at
MATCH (x:StageState {user_id: $user_id, stage: $stage})
RETURN x.fingerprint AS fingerprint, x.completed_at AS completed_at
