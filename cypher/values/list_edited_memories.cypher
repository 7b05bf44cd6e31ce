// The memories that an edit of one of the user's files has retired or superseded: they are worth nothing to the user
// until the edit is taken back. The action is told too, so that whatever an edit decides makes values again.
// mode: read
// params: user_id
// returns: memory_id, action
MATCH (e:FileEdit {user_id: $user_id})
RETURN e.memory_id AS memory_id, e.action AS action
ORDER BY memory_id
