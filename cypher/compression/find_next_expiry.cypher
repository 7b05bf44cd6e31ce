// By which key a context of a user's expires in a range, whichever of them: of many the engine would read all to find the first.
// The owner is asked for behind the range, so that both engines read the range and not all that the owner has.
// mode: read
// params: user_id, first, last
// returns: due_key
MATCH (c:CompressedContext)
WHERE c.due_key > $first AND c.due_key < $last
WITH c
WHERE c.user_id = $user_id
RETURN c.due_key AS due_key
ORDER BY due_key
LIMIT 1
