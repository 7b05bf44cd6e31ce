// The user's context (c) of an id, in the same way as owned_memory.
// takes: key
MATCH (c:CompressedContext {id: key})
WHERE c.user_id = $user_id
