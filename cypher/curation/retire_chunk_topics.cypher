// Unlink statements from anchors that none of their sources relates them to any more. Links only.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
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
WITH row.id AS id, collect(b) AS links
FOREACH (b IN links | DELETE b)
RETURN id, size(links) AS removed
