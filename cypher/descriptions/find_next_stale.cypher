// By which key a description of a user's is due by time alone in a range, whichever of them: of many the engine would read all to
// find the first.
// The owner is asked for behind the range: beside it, the embedded engine reads all that the owner has.
// mode: read
// params: user_id, first, last
// returns: due_key
MATCH (m:Memory)
WHERE m.stale_key > $first AND m.stale_key < $last
WITH m
WHERE m.user_id = $user_id
RETURN m.stale_key AS due_key
ORDER BY due_key
LIMIT 1
