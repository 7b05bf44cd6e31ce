// Let a user's manifest point at nothing, in the transaction that points it anew. No memory is touched.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: id, user_id
// returns: -
MATCH (b:BoundedMemoryManifest {id: $id, user_id: $user_id})-[l:LISTS]->(:Memory)
WITH collect(l) AS links
FOREACH (l IN links | DELETE l)
