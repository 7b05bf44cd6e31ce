// Who and what of a user's was described in a span of days, and is not due: by the sentences and what they cite. Found by a
// range of one index, so that it costs what was described.
// The owner is asked for behind the range: beside it, the embedded engine reads all that the owner has.
// mode: read
// params: user_id, first, last
// returns: id
MATCH (m:Memory)
WHERE m.described_key > $first AND m.described_key <= $last
WITH m
WHERE m.user_id = $user_id
  AND m.description IS NOT NULL
  AND coalesce(m.is_dirty, false) = false
RETURN m.id AS id
ORDER BY id
