// What supersedes a merged statement, moved to the one that it was merged into; it is judged again.
// mode: write
// params: rows, user_id
// returns: id, removed
@merged_pair()
MATCH (o:KnowledgeChunk)-[r:SUPERSEDES {user_id: $user_id}]->(gone)
WHERE o.id <> row.kept_id
MERGE (o)-[k:SUPERSEDES {user_id: $user_id}]->(kept)
ON CREATE SET k += properties(r)
SET o.unjudged = $user_id
@removed_links(row.id, r)
