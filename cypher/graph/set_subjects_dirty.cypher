// Those whose notes have changed, for the nightly consolidation (004, Agent Tools): it clears the flag. A subject is
// a relationship, or the name of an anchor: of all that it means somewhere.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (a:AnchorName {name_id: row.id, user_id: $user_id})
UNWIND coalesce(a.resolved_ids, [row.id]) AS subject_id
MATCH (m:Memory {id: subject_id, user_id: $user_id})
SET @becomes_dirty(m, $now)
RETURN m.id AS id
