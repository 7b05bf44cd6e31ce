// Of these storylines or macros of a user, those that were made at an instant, the largest first, with what they are made up of
// and whether they were there before.
// mode: read
// params: user_id, ids, at
// returns: title, anchor, is_new, sources, days, storylines, first_at, last_at
WITH datetime($at) AS at
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted, user_id: $user_id})
WHERE m.generated_at = at
MATCH (m)-[:ABOUT|ROOTED_IN]->(n:Memory)
RETURN m.title AS title, n.name AS anchor, m.created_at = m.generated_at AS is_new,
  coalesce(m.total_source_count, m.source_count) AS sources, m.distinct_source_days AS days,
  m.storyline_count AS storylines, coalesce(m.first_event_at, m.first_source_at) AS first_at,
  coalesce(m.last_event_at, m.last_source_at) AS last_at
ORDER BY sources DESC, title, m.id
LIMIT 20
