// A context as no run of ours leaves it.
MATCH (c:CompressedContext {id: $id, user_id: $user_id})
SET c.token_count = $token_count
