// What a relationship is by all sources that support it: the surest confidence, the first and last event, when the last
// source arrived, the words of the latest source (of equals, the first in text order). Unknown times say nothing of when.
// What other sources say is to be described anew, and fades on another day. One that no source supports any more, and a
// rail keeps, says nothing.
// mode: write
// params: rows, user_id, now
// returns: id, source_count
UNWIND $rows AS row
MATCH (r:Relationship {id: row.id, user_id: $user_id})
OPTIONAL MATCH (r)<-[p:SUPPORTS {user_id: $user_id}]-(s:Source)
WITH r, s, p
ORDER BY coalesce(s.started_at, datetime('0001-01-01T00:00:00Z')) DESC, p.description
WITH r, count(DISTINCT s.id) AS sources, min(s.started_at) AS first_at, max(s.started_at) AS last_at,
  max(coalesce(s.ingested_at, s.created_at)) AS ingested_at, max(p.confidence) AS confidence,
  head(collect(p.description)) AS stated
FOREACH (changed IN CASE WHEN coalesce(r.stated, '') = coalesce(stated, '') AND r.source_count = sources THEN [] ELSE [r] END |
  SET @becomes_dirty(changed, $now))
SET r.source_count = sources,
  r.first_seen = first_at,
  r.last_seen = last_at,
  r.confidence = confidence,
  @becomes_uncounted(r, ingested_at),
  r.ingested_at = ingested_at,
  r.unaged = $user_id,
  r.stated = stated,
  r.description = CASE WHEN sources = 0 THEN null ELSE r.description END,
  r.updated_at = datetime($now)
RETURN r.id AS id, sources AS source_count
