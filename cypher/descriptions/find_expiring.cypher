// By which key a note of a user's expires in a range of days, whichever of them: of many the engine would read all to find the
// first.
// The owner is asked for behind the range: beside it, the embedded engine reads all that the owner has.
// mode: read
// params: user_id, first, last
// returns: due_key
MATCH (n:Note)
WHERE n.expiry_key > $first AND n.expiry_key < $last
WITH n
WHERE n.user_id = $user_id
RETURN n.expiry_key AS due_key
ORDER BY due_key
LIMIT 1
