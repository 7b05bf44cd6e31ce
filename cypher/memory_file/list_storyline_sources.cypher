// The sources that a storyline includes.
// mode: read
// params: user_id, user_ids, memory_id
// returns: id, kind, title, path, occurred_at, excerpt
MATCH (t:Storyline {id: $memory_id, user_id: $user_id})-[:INCLUDES]->(s:Source)
WHERE @may_read(s)
RETURN DISTINCT s.id AS id,
  s.source_type AS kind,
  s.title AS title,
  s.path AS path,
  s.started_at AS occurred_at,
  s.summary AS excerpt
ORDER BY occurred_at, id
