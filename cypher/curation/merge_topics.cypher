// What a statement is about that another one stands for, moved to that.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (gone)-[r:ABOUT {user_id: $user_id}]->(o:Memory)
MERGE (kept)-[k:ABOUT {user_id: $user_id}]->(o)
ON CREATE SET k += properties(r)
@removed_links(row.id, r)
