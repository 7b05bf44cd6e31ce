// A source that is gone.
MATCH (s:Source {id: $id, user_id: $user_id})
DETACH DELETE s
