// What was learned from a merged record: it was learned from the one that that was merged into. Not itself.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (o:Memory)-[r:LEARNED_FROM {user_id: $user_id}]->(gone)
WHERE o.id <> row.kept_id
MERGE (o)-[k:LEARNED_FROM {user_id: $user_id}]->(kept)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
