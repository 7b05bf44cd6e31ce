// What a merged statement is about, moved to the one that it was merged into.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (gone)-[r:ABOUT {user_id: $user_id}]->(o:Memory)
MERGE (kept)-[k:ABOUT {user_id: $user_id}]->(o)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
