// Unlink sources from statements that their latest extraction no longer makes.
// Links only: no memory goes here. One that a rail keeps although nothing makes it any more is valued no longer.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (s:Source {id: row.source_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE c.user_id = $user_id
  AND NOT c.id IN row.kept_ids
SET c.unscored = $user_id,
  c.unjudged = $user_id
@removed_links(row.source_id, r)
