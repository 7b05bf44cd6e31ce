// What sources state that is understood alone, without its words: whose it is and the anchors that it is about.
// Not what only passes the time.
// mode: read
// params: user_id, ids
// returns: source_id, chunk_id, speaker, embedder, about
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE r.content_type <> 'chitchat'
  AND coalesce(r.statement, r.content) <> ''
OPTIONAL MATCH (c)-[:ABOUT {user_id: $user_id}]->(n:Memory)
WITH s.id AS source_id, c.id AS chunk_id, r.speaker AS speaker, c.embedder AS embedder, collect(n.id) AS about
RETURN source_id, chunk_id, speaker, embedder, about
ORDER BY source_id, chunk_id
