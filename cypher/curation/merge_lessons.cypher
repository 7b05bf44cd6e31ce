// What was learned from a merged record is learned from the surviving one. Not itself.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (o:Memory)-[r:LEARNED_FROM {user_id: $user_id}]->(gone)
WHERE o.id <> row.kept_id
MERGE (o)-[k:LEARNED_FROM {user_id: $user_id}]->(kept)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
