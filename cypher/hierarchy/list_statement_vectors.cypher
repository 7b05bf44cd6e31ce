// What sources state that is understood alone: when and whose it is, the anchors that it is about, and the words and embeddings by which
// statements are compared. Not what only passes the time.
// mode: read
// params: user_id, ids
// returns: source_id, started_at, chunk_id, speaker, about, text, statement, embedding, embedder
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
WHERE r.content_type <> 'chitchat'
  AND coalesce(r.statement, r.content) <> ''
OPTIONAL MATCH (c)-[:ABOUT {user_id: $user_id}]->(n:Memory)
WITH s.id AS source_id, s.started_at AS started_at, c, r, collect(n.id) AS about
RETURN source_id, started_at, c.id AS chunk_id, r.speaker AS speaker, about, c.content AS text,
  coalesce(r.statement, r.content) AS statement, c.embedding AS embedding, c.embedder AS embedder
ORDER BY source_id, chunk_id
