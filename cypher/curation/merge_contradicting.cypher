// What contradicts a statement that another one stands for, moved to that; it is judged again.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (o:KnowledgeChunk)-[r:CONTRADICTS {user_id: $user_id}]->(gone)
WHERE o.id <> row.kept_id
MERGE (o)-[k:CONTRADICTS {user_id: $user_id}]->(kept)
ON CREATE SET k += properties(r)
SET o.unjudged = $user_id
@removed_links(row.id, r)
