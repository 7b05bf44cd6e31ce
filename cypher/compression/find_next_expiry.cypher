// When the next of a user's contexts expires after an instant: the first of a range of one index.
// mode: read
// params: user_id, first, last
// returns: expires_at
MATCH (c:CompressedContext)
WHERE c.due_key > $first AND c.due_key < $last AND c.user_id = $user_id
RETURN min(c.expires_at) AS expires_at
