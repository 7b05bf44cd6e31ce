// A user's contexts from which no way leads to the text they were made from: level by level up to full, and from it to the
// source. One whose source is gone or withheld, and which a rail keeps without words, has lost nothing that is there.
// mode: read
// params: user_id
// returns: id, level, source_id
MATCH (c:CompressedContext {user_id: $user_id})
OPTIONAL MATCH (c)<-[:SUMMARIZED_TO*0..2]-(f:CompressedContext)-[:CONTEXT_OF]->(s:Source)-[:HAS_CONTENT]->(:SourceText)
WHERE f.compression_level = 'full' AND f.user_id = $user_id AND s.id = c.source_id
WITH c, count(s) AS originals
WHERE originals = 0
OPTIONAL MATCH (made:Source {id: coalesce(c.source_id, '')})
OPTIONAL MATCH (x:Extraction {source_id: coalesce(c.source_id, ''), user_id: $user_id})
WHERE coalesce(x.fingerprint, '') <> 'withheld'
WITH c, made, count(x) AS extractions
WHERE c.content IS NOT NULL
  OR c.fingerprint IS NOT NULL
  OR (made IS NOT NULL AND extractions > 0)
RETURN c.id AS id, c.compression_level AS level, c.source_id AS source_id
ORDER BY id
LIMIT 100
