// A user's contexts from which no way leads to the text they were made from: level by level up to full, and from it to the source.
// mode: read
// params: user_id
// returns: id, level, source_id
MATCH (c:CompressedContext {user_id: $user_id})
OPTIONAL MATCH (c)<-[:SUMMARIZED_TO*0..2]-(f:CompressedContext)-[:CONTEXT_OF]->(s:Source)
WHERE f.compression_level = 'full' AND f.user_id = $user_id AND s.id = c.source_id AND s.content IS NOT NULL
WITH c, count(s) AS originals
WHERE originals = 0
RETURN c.id AS id, c.compression_level AS level, c.source_id AS source_id
ORDER BY id
LIMIT 100
