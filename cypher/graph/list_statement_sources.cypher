// Where a statement was said: its sources, with the words.
// mode: read
// params: user_id, user_ids, memory_id
// returns: id, kind, title, path, occurred_at, excerpt, judged
MATCH (s:Source)-[r:STATES]->(c:KnowledgeChunk {id: $memory_id, user_id: $user_id})
WHERE @may_read(s)
RETURN DISTINCT s.id AS id,
  s.source_type AS kind,
  s.title AS title,
  s.path AS path,
  @said_at(r, s) AS occurred_at,
  r.excerpt AS excerpt,
  r.judged AS judged
ORDER BY occurred_at, id
