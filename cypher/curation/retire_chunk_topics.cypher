// Unlink statements from anchors that none of their sources relates them to any more. Links only.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
MATCH (c)-[b:ABOUT]->(n:Memory)
WHERE NOT EXISTS {
  MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
  MATCH (s)-[m:MENTIONS {user_id: $user_id}]->(n)
  WHERE m.name_id IN r.about
}
@removed_links(row.id, b)
