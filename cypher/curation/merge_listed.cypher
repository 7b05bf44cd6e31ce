// Which manifests list a memory that another one stands for: they list that, where the other stood.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (b:BoundedMemoryManifest {user_id: $user_id})-[r:LISTS]->(gone)
MERGE (b)-[k:LISTS]->(kept)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
