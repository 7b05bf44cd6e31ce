// That a derived stage of a user is complete, and what it was made from: written last, with its last change.
// mode: write
// params: user_id, id, stage, fingerprint, now
// returns: id
MERGE (x:StageState {id: $id, user_id: $user_id})
SET x.stage = $stage,
  x.fingerprint = $fingerprint,
  x.completed_at = datetime($now)
RETURN x.id AS id
