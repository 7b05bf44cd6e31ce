// The same of statements that are known (list_statement_vectors), each with one of its sources: found from the statement, since a
// source may state hundreds of others.
// mode: read
// params: user_id, rows
// returns: source_id, started_at, chunk_id, speaker, about, text, statement, embedding, embedder
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.chunk_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE s.id = row.source_id
  AND r.content_type <> 'chitchat'
  AND coalesce(r.statement, r.content) <> ''
OPTIONAL MATCH (c)-[:ABOUT {user_id: $user_id}]->(n:Memory)
WITH s.id AS source_id, s.started_at AS started_at, c, r, collect(n.id) AS about
RETURN source_id, started_at, c.id AS chunk_id, r.speaker AS speaker, about, c.content AS text,
  coalesce(r.statement, r.content) AS statement, c.embedding AS embedding, c.embedder AS embedder
ORDER BY source_id, chunk_id
