// Note which bytes may stand in a user's file from now on, before any of them is written.
// mode: write
// params: id, user_id, stage, fingerprint, now
// returns: id
MERGE (s:StageState {id: $id, user_id: $user_id})
SET s.stage = $stage,
    s.fingerprint = $fingerprint,
    s.completed_at = datetime($now)
RETURN s.id AS id
