// The user's memory (m) of an id. Its owner is asked for behind the id, so that both engines read the index of ids.
// takes: key
MATCH (m:Memory {id: key})
WHERE m.user_id = $user_id
