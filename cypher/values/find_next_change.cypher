// By its key, the first of a user's memories to which time alone will give another value: a range of one index.
// The owner is asked for behind the range, so that both engines read the range and not all that the owner has.
// mode: read
// params: user_id, first, last
// returns: rescore_key
MATCH (vc:ValueClassification)
WHERE vc.rescore_key > $first AND vc.rescore_key < $last
WITH vc
WHERE vc.user_id = $user_id
RETURN min(vc.rescore_key) AS rescore_key
