// Which sources mention these, of each all or those after an instant (of unknown time, too). What was said in an abandoned
// branch is in no storyline.
// mode: read
// params: user_id, rows
// returns: id, source_ids
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
MATCH (n)<-[:MENTIONS {user_id: $user_id}]-(s:Source)
WHERE (row.since IS NULL OR s.started_at IS NULL OR s.started_at > datetime(row.since))
  AND NOT coalesce(s.provenance, '') CONTAINS '"branch": "abandoned"'
WITH n.id AS id, s.id AS source_id
RETURN id, collect(DISTINCT source_id) AS source_ids
ORDER BY id
