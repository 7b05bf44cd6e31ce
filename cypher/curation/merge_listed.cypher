// Which manifests list a merged memory: they list the one that it was merged into, in the same place.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (b:BoundedMemoryManifest {user_id: $user_id})-[r:LISTS]->(gone)
MERGE (b)-[k:LISTS]->(kept)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
