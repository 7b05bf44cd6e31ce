// Storylines that do not meet the counters (004), by what they really include: counted of those of which that is recorded, or of
// which another number of sources is there than is recorded. A rail may keep one.
// mode: read
// params: user_id, least_sources, least_days
// returns: id, title, sources, days
MATCH (t:Storyline {user_id: $user_id})
WHERE @may_retire(t)
  AND (coalesce(t.source_count, 0) < $least_sources
    OR coalesce(t.distinct_source_days, 0) < $least_days
    OR COUNT { (t)-[:INCLUDES]->() } <> t.source_count)
OPTIONAL MATCH (t)-[:INCLUDES]->(s:Source)
WITH t, count(DISTINCT s.id) AS sources, count(DISTINCT date(s.started_at)) AS days
WHERE sources < $least_sources OR days < $least_days
RETURN t.id AS id, t.title AS title, sources, days
ORDER BY id
LIMIT 100
