// Consolidations were looked at and have all of their sources. A source that goes meanwhile is not overlooked: what is written
// first holds up whoever marks the consolidation until this is done.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (k:Consolidation {id: row.id, user_id: $user_id})
SET k.checked_at = datetime($now)
WITH k
UNWIND k.source_ids AS source_id
OPTIONAL MATCH (s:Source {id: source_id, user_id: $user_id})
WHERE @source_in_use(s)
WITH k, count(s) AS there
WHERE there = size(k.source_ids)
SET k.unchecked = null
RETURN k.id AS id
