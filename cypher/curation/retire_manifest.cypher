// Let go of the manifest of a file that is no longer a user's, with its pointers. No memory is touched.
// mode: write
// params: id, user_id
// returns: -
MATCH (n:BoundedMemoryManifest {id: $id, user_id: $user_id})
DETACH DELETE n
