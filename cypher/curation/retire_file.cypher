// Take a file out of a user's list. The file itself, and every memory, stays.
// mode: write
// params: id, user_id
// returns: -
MATCH (n:MemoryFile {id: $id, user_id: $user_id})
DETACH DELETE n
