// Add to what a derived stage of a user was made from, whatever that is now.
// mode: write
// params: id, user_id, stage, fingerprint, noted, now
// returns: id
MERGE (x:StageState {id: $id, user_id: $user_id})
SET x.stage = $stage,
  x.fingerprint = split(coalesce(x.fingerprint, $fingerprint), $noted)[0] + $noted + $fingerprint,
  x.completed_at = datetime($now)
RETURN x.id AS id
