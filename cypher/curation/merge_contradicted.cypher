// What a merged statement contradicts, moved to the one that it was merged into; it is judged again.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (gone)-[r:CONTRADICTS {user_id: $user_id}]->(o:KnowledgeChunk)
WHERE o.id <> row.kept_id
MERGE (kept)-[k:CONTRADICTS {user_id: $user_id}]->(o)
ON CREATE SET k += properties(r)
SET o.unjudged = $user_id
@removed_links(row.id, r)
