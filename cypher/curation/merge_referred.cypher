// What a merged record refers to: so does the one that it was merged into. Not itself.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (gone)-[r:REFERS_TO {user_id: $user_id}]->(o:Memory)
WHERE o.id <> row.kept_id
MERGE (kept)-[k:REFERS_TO {user_id: $user_id}]->(o)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
