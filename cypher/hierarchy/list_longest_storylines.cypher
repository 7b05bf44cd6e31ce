// The storylines of a user with the most sources, for the report of a run.
// mode: read
// params: user_id
// returns: title, anchor, source_count, distinct_source_days, first_source_at, last_source_at
MATCH (t:Storyline {user_id: $user_id})
WHERE @in_use(t)
WITH t
ORDER BY t.source_count DESC, t.title, t.first_source_at, t.id
LIMIT 10
MATCH (t)-[:ABOUT]->(n:Memory)
RETURN t.title AS title, n.name AS anchor, t.source_count AS source_count,
  t.distinct_source_days AS distinct_source_days, t.first_source_at AS first_source_at,
  t.last_source_at AS last_source_at
ORDER BY source_count DESC, title, first_source_at, t.id
