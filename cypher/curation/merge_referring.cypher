// What refers to a merged record refers to the surviving one. Not itself.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (o:Memory)-[r:REFERS_TO {user_id: $user_id}]->(gone)
WHERE o.id <> row.kept_id
MERGE (o)-[k:REFERS_TO {user_id: $user_id}]->(kept)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
