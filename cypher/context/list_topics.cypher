// The latest themes and storylines of a user that are in use, so many of each.
// mode: read
// params: user_id, limit
// returns: level, id, ref, title, first_at, last_at, source_count, storyline_count
MATCH (m:Macro {user_id: $user_id})
WHERE @in_use(m)
  AND m.overview IS NOT NULL
RETURN 1 AS level, m.id AS id, m.ref AS ref, m.title AS title, toString(m.first_event_at) AS first_at,
  toString(m.last_event_at) AS last_at, m.total_source_count AS source_count, m.storyline_count AS storyline_count
ORDER BY coalesce(last_at, '') DESC, coalesce(source_count, 0) DESC, id DESC
LIMIT $limit
UNION ALL
MATCH (t:Storyline {user_id: $user_id})
WHERE @in_use(t)
  AND t.summary IS NOT NULL
RETURN 2 AS level, t.id AS id, t.ref AS ref, t.title AS title, toString(t.first_source_at) AS first_at,
  toString(t.last_source_at) AS last_at, t.source_count AS source_count, null AS storyline_count
ORDER BY coalesce(last_at, '') DESC, coalesce(source_count, 0) DESC, id DESC
LIMIT $limit
