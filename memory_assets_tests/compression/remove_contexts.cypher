// A user's contexts as if none had been made yet.
MATCH (c:CompressedContext {user_id: $user_id})
DETACH DELETE c
