// What a merged record was learned from: so was the one that it was merged into. Not from itself.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (gone)-[r:LEARNED_FROM {user_id: $user_id}]->(o:Memory)
WHERE o.id <> row.kept_id
MERGE (kept)-[k:LEARNED_FROM {user_id: $user_id}]->(o)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
