// What of a user's memories may have faded, by the day on which it does: found by a range of one index, so that it costs what
// is due, whatever there is.
// The owner is asked for behind the range: beside it, the embedded engine reads an
// index by owner, and with it everything that the owner has.
// mode: read
// params: user_id, first, last, born_before
// returns: memory_id
MATCH (m:Memory)
WHERE m.fade_key > $first AND m.fade_key <= $last
WITH m
WHERE m.user_id = $user_id
  AND @passes_rails(m, $born_before)
RETURN m.id AS memory_id
ORDER BY memory_id
