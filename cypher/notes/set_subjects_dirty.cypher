// Those whose notes have changed, for the nightly consolidation (004, Agent Tools): it clears the flag.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
MATCH (n)<-[:HAS_NOTE {user_id: $user_id}]-(m:Memory)
WITH DISTINCT m
SET m.is_dirty = true,
  m.dirty_at = datetime($now)
RETURN m.id AS id
