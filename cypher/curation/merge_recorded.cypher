// Where a merged record is recorded: so is the one that it was merged into.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (gone)-[r:RECORDED_IN {user_id: $user_id}]->(s:Source)
MERGE (kept)-[k:RECORDED_IN {user_id: $user_id}]->(s)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
