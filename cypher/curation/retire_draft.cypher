// Let go of the draft of a file that is no longer a user's. No memory is touched.
// mode: write
// params: id, user_id
// returns: -
MATCH (n:MemoryDraft {id: $id, user_id: $user_id})
DETACH DELETE n
