// Remember what a derived stage of a user was made from, once all of it is written.
// mode: write
// params: id, user_id, stage, fingerprint, now
// returns: id
MERGE (s:StageState {id: $id, user_id: $user_id})
SET s.stage = $stage,
    s.fingerprint = $fingerprint,
    s.completed_at = datetime($now)
RETURN s.id AS id
