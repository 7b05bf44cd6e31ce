// What is noted of a person, concept, entity or relationship of a user, the newest first, of one source in its order;
// unknown times last. Of an insight also the statements that it rests on, and their sources.
// mode: read
// params: user_id, id
// returns: content, lifetime, expires_at, noted_at, added_by, source_id, source, rests_on, stated_in
MATCH (m:Memory {id: $id, user_id: $user_id})
MATCH (m)-[:HAS_NOTE {user_id: $user_id}]->(n:Note)
MATCH (s:Source {id: n.source_id})
OPTIONAL MATCH (n)-[t:TAKEN_FROM {user_id: $user_id}]->(s)
WITH n, s, min(coalesce(t.position, 0)) AS position
OPTIONAL MATCH (n)-[:RESTS_ON {user_id: $user_id}]->(c:KnowledgeChunk)<-[:STATES {user_id: $user_id}]-(stating:Source)
WITH n, s, position, collect(DISTINCT c.id) AS rests_on, collect(DISTINCT stating.id) AS stated_in
RETURN n.content AS content, n.lifetime AS lifetime, n.expires_at AS expires_at, n.noted_at AS noted_at,
  n.added_by AS added_by, n.source_id AS source_id, s.title AS source,
  rests_on, stated_in
ORDER BY n.noted_at IS NULL, n.noted_at DESC, n.source_id, position, n.id
LIMIT 200
