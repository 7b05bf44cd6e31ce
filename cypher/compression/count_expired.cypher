// How many contexts of a user have expired at an instant: a range of one index.
// mode: read
// params: user_id, first, last
// returns: expired
MATCH (c:CompressedContext)
WHERE c.due_key > $first AND c.due_key <= $last AND c.user_id = $user_id
RETURN count(c) AS expired
