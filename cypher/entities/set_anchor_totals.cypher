// What an anchor is by all sources that mention it (004, Step 3.5, derived instead of counted up): a rerun
// changes nothing, and neither does the order. What has changed happened at an instant or later, if one is given. A source of unknown time counts, its day does not.
// mode: write
// params: rows, user_id, now, since
// returns: id, source_count
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
MATCH (n)<-[m:MENTIONS {user_id: $user_id}]-(s:Source)
WITH n, count(DISTINCT s.id) AS sources, count(DISTINCT date(s.started_at)) AS days,
  min(s.started_at) AS first_at, max(s.started_at) AS last_at, max(m.confidence) AS confidence,
  max(coalesce(s.ingested_at, s.created_at)) AS ingested_at,
  CASE WHEN $since IS NULL THEN null ELSE datetime($since) END AS since
SET n.source_count = sources,
  n.distinct_source_days = days,
  n.first_mentioned_at = first_at,
  n.last_mentioned_at = last_at,
  n.confidence = CASE WHEN coalesce(n.is_owner, false) THEN 1.0 ELSE confidence END,
  @becomes_uncounted(n, ingested_at),
  n.ingested_at = ingested_at,
  n.unaged = $user_id,
  @becomes_untold(n, true, since),
  n.updated_at = datetime($now)
RETURN n.id AS id, sources AS source_count
