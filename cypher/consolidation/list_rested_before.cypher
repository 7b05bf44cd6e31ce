// Of a user's sources that have rested and become nothing those that happened in a span of days: a range of one index, so that
// what is read is what rests near in time. Whom they name is read by their ids (list_named): with a second pattern behind the
// range, the engine counts the index first.
// The owner is asked for behind the range: beside it, the embedded engine reads all that the owner has.
// mode: read
// params: user_id, first, last
// returns: rested_key
MATCH (m:Memory)
WHERE m.rested_key > $first AND m.rested_key <= $last
WITH m
WHERE m.user_id = $user_id
RETURN m.rested_key AS rested_key
ORDER BY rested_key
