// Which of a user's memories fade first in a span of days, by their keys.
// mode: read
// params: user_id, first, last, limit
// returns: due_key, memory_id
@coming_memories(m.fade_key)
