// Which sources mention these, of each all or those after an instant (of unknown time, too). What was said in an abandoned
// branch is in no storyline. The instant is read once, not for each of an anchor's sources, and their times are those of the
// mentions: a source's own is beside its vector, and would be read with it.
// mode: read
// params: user_id, rows
// returns: id, source_ids
UNWIND $rows AS row
WITH row.id AS wanted, CASE WHEN row.since IS NULL THEN null ELSE datetime(row.since) END AS since
MATCH (n:Memory {id: wanted, user_id: $user_id})
MATCH (n)<-[m:MENTIONS {user_id: $user_id}]-(s)
WHERE since IS NULL OR coalesce(m.started_at, s.started_at) IS NULL OR coalesce(m.started_at, s.started_at) > since
WITH n, s
WHERE NOT coalesce(s.provenance, '') CONTAINS '"branch": "abandoned"'
WITH n.id AS id, s.id AS source_id
RETURN id, collect(DISTINCT source_id) AS source_ids
ORDER BY id
