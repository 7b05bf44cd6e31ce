// What the contexts of a user are drawn from, by tier: what must always hold, decisions and fixes; the file; the latest
// topics. What was said, the second tier, sum_sources adds up. Where there are texts, these are to be counted; else tokens
// says how long it is.
// mode: read
// params: user_id, standing, kinds, limit
// returns: tier, shelf, memories, tokens, texts, first_at, last_at
UNWIND $standing AS memory_id
MATCH (m:Memory {id: memory_id})
WHERE @is_living(m)
  AND @in_use(m)
RETURN 1 AS tier, 'standing instructions' AS shelf, count(m) AS memories, 0 AS tokens,
  collect(coalesce(m.content, m.text)) AS texts, min(toString(m.occurred_at)) AS first_at,
  max(toString(m.occurred_at)) AS last_at
UNION ALL
UNWIND $kinds AS wanted
MATCH (m:Memory {memory_kind: wanted, user_id: $user_id})
WHERE @is_living(m)
  AND @in_use(m)
RETURN 1 AS tier, 'decisions and fixes' AS shelf, count(m) AS memories, sum(m.token_count) AS tokens, [] AS texts,
  min(toString(m.recorded_at)) AS first_at, max(toString(m.recorded_at)) AS last_at
UNION ALL
MATCH (b:BoundedMemoryManifest {user_id: $user_id, is_default: true})
OPTIONAL MATCH (b)-[:LISTS]->(m:Memory)
WITH b, count(m) AS listed
RETURN 3 AS tier, 'MEMORY.md' AS shelf, listed AS memories, b.current_tokens AS tokens, [] AS texts,
  toString(b.generated_at) AS first_at, toString(b.generated_at) AS last_at
UNION ALL
MATCH (m:Macro {user_id: $user_id})
WHERE @in_use(m)
WITH m ORDER BY coalesce(toString(m.last_event_at), '') DESC, m.id LIMIT $limit
RETURN 4 AS tier, 'latest themes' AS shelf, count(m) AS memories, 0 AS tokens, collect(m.title) AS texts,
  min(toString(m.first_event_at)) AS first_at, max(toString(m.last_event_at)) AS last_at
UNION ALL
MATCH (m:Storyline {user_id: $user_id})
WHERE @in_use(m)
WITH m ORDER BY coalesce(toString(m.last_source_at), '') DESC, m.id LIMIT $limit
RETURN 4 AS tier, 'latest storylines' AS shelf, count(m) AS memories, 0 AS tokens, collect(m.title) AS texts,
  min(toString(m.first_source_at)) AS first_at, max(toString(m.last_source_at)) AS last_at
