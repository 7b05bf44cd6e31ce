// Which of a user's memories fade first in a span of days, by their keys: a range of one index. The owner is asked for behind
// the range, so that both engines read the range and not all that the owner has.
// mode: read
// params: user_id, first, last, limit
// returns: due_key, memory_id
MATCH (m:Memory)
WHERE m.fade_key > $first AND m.fade_key <= $last
WITH m
WHERE m.user_id = $user_id
RETURN m.fade_key AS due_key, m.id AS memory_id
ORDER BY due_key
LIMIT $limit
