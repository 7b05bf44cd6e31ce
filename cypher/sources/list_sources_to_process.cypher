// What an owner's processing is due for.
// mode: read
// params: user_id, recipe, force, retry, now
// returns: id, started_at, raw_size, attempts
MATCH (s:Source {user_id: $user_id})
@due_for_processing(s)
