// How many contexts of a user have expired at an instant: a range of one index.
// The owner is asked for behind the range: beside it, the embedded engine reads an
// index by owner, and with it everything that the owner has.
// mode: read
// params: user_id, first, last
// returns: expired
MATCH (c:CompressedContext)
WHERE c.due_key > $first AND c.due_key <= $last
WITH c
WHERE c.user_id = $user_id
RETURN count(c) AS expired
