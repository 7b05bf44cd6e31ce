// Which of a user's memories are due first in a span of days, by their keys: a range of one index. The owner is asked for behind
// the range, so that both engines read the range and not all that the owner has.
// takes: span_key
MATCH (m:Memory)
WHERE span_key > $first AND span_key <= $last
WITH m
WHERE m.user_id = $user_id
RETURN span_key AS due_key, m.id AS memory_id
ORDER BY due_key
LIMIT $limit
