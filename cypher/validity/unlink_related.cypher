// Take back what was judged of statements that are judged again.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: removed
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
MATCH (c)-[r]-(o:KnowledgeChunk)
WHERE type(r) IN ['SUPERSEDES', 'CONTRADICTS']
WITH collect(DISTINCT r) AS links
FOREACH (r IN links | DELETE r)
RETURN size(links) AS removed
