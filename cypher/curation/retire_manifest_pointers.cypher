// Let a user's manifest point at nothing, in the transaction that points it anew. No memory is touched.
// mode: write
// params: id, user_id
// returns: -
MATCH (b:BoundedMemoryManifest {id: $id, user_id: $user_id})-[l:LISTS]->(:Memory)
DELETE l
