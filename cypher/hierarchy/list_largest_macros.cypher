// The macros of a user with the most sources, for the report of a run.
// mode: read
// params: user_id
// returns: title, anchor, storyline_count, total_source_count, first_event_at, last_event_at
MATCH (m:Macro {user_id: $user_id})-[:ROOTED_IN]->(n:Memory)
WHERE @in_use(m)
RETURN m.title AS title, n.name AS anchor, m.storyline_count AS storyline_count,
  m.total_source_count AS total_source_count, m.first_event_at AS first_event_at,
  m.last_event_at AS last_event_at
ORDER BY total_source_count DESC, title, first_event_at, m.id
LIMIT 10
