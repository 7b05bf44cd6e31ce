// Which of a user's sources rest first in a span of days, by their keys.
// mode: read
// params: user_id, first, last, limit
// returns: due_key, memory_id
@coming_memories(m.rest_key)
