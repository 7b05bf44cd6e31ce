// Remember what a derived stage of a user was made from: written last, when all of it is there.
// mode: write
// params: id, user_id, stage, fingerprint, now
// returns: id
MERGE (x:StageState {id: $id, user_id: $user_id})
SET x.stage = $stage,
  x.fingerprint = $fingerprint,
  x.completed_at = datetime($now)
RETURN x.id AS id
