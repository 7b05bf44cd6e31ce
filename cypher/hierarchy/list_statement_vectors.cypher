// What sources state that is understood alone: when and whose it is, the anchors that it is about, and the words and embeddings by which
// statements are compared. Not what only passes the time.
// mode: read
// params: user_id, ids
// returns: source_id, started_at, chunk_id, speaker, about, text, embedding, embedder
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE r.content_type <> 'chitchat'
  AND coalesce(r.statement, r.content) <> ''
OPTIONAL MATCH (c)-[:ABOUT {user_id: $user_id}]->(n:Memory)
WITH s.id AS source_id, s.started_at AS started_at, c, r.speaker AS speaker, collect(n.id) AS about
RETURN source_id, started_at, c.id AS chunk_id, speaker, about, c.content AS text, c.embedding AS embedding, c.embedder AS embedder
ORDER BY source_id, chunk_id
