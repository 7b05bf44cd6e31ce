// When the next of a user's contexts expires after an instant: the first of a range of one index.
// The owner is asked for behind the range, so that both engines read the range and not all that the owner has.
// mode: read
// params: user_id, first, last
// returns: expires_at
MATCH (c:CompressedContext)
WHERE c.due_key > $first AND c.due_key < $last
WITH c
WHERE c.user_id = $user_id
RETURN min(c.expires_at) AS expires_at
