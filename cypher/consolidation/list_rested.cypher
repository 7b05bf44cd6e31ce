// Which of a user's sources have rested by a day: a range of one index, so that it costs what has rested.
// The owner is asked for behind the range: beside it, the embedded engine reads all that the owner has.
// mode: read
// params: user_id, first, last
// returns: id
MATCH (m:Memory)
WHERE m.rest_key > $first AND m.rest_key <= $last
WITH m
WHERE m.user_id = $user_id
RETURN m.id AS id
ORDER BY id
