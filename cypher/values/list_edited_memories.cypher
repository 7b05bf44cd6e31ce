// The memories that an edit of one of the user's files has retired or superseded: they are worth nothing to the user
// until the edit is taken back.
// mode: read
// params: user_id
// returns: memory_id
MATCH (e:FileEdit {user_id: $user_id})
WHERE e.action IN ['retired', 'superseded']
RETURN e.memory_id AS memory_id
ORDER BY memory_id
