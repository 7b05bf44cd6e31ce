// A user's contexts that have expired at an instant, unread and protected by no rail: a range of one index. With the words.
// The owner is asked for behind the range, so that both engines read the range and not all that the owner has.
// mode: read
// params: user_id, first, last, limit
// returns: id, labels, properties
MATCH (c:CompressedContext)
WHERE c.due_key > $first AND c.due_key <= $last
WITH c
WHERE c.user_id = $user_id
  AND @may_retire(c)
RETURN c.id AS id, labels(c) AS labels, properties(c) AS properties
ORDER BY id
LIMIT $limit
