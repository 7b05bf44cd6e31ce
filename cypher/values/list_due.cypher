// The memories to which time alone has given another value, by the day on which it does: found by a range of one index, so
// that it costs what is due, whatever there is.
// The owner is asked for behind the range: beside it, the embedded engine reads an
// index by owner, and with it everything that the owner has.
// mode: read
// params: user_id, first, last
// returns: memory_id
MATCH (vc:ValueClassification)
WHERE vc.rescore_key > $first AND vc.rescore_key <= $last
WITH vc
WHERE vc.user_id = $user_id
RETURN vc.memory_id AS memory_id
