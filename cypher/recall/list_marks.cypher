// What these stages of some owners were last made from: what an index of their sources follows from.
// mode: read
// params: user_ids, stages
// returns: user_id, stage, fingerprint
MATCH (x:StageState)
WHERE x.user_id IN $user_ids AND x.stage IN $stages
RETURN x.user_id AS user_id, x.stage AS stage, x.fingerprint AS fingerprint
