// What each asset of these owners was last made from (runtime/marks.py).
// mode: read
// params: user_ids
// returns: user_id, stage, fingerprint
MATCH (x:StageState)
WHERE x.user_id IN $user_ids AND x.stage STARTS WITH 'mark/'
RETURN x.user_id AS user_id, x.stage AS stage, x.fingerprint AS fingerprint
