// That full definitions were given to somebody: what had changed in them waits no longer.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (t:HeartbeatTask {id: row.id, user_id: $user_id})
SET t.last_definition_load = datetime($now),
  t.is_pending = false,
  t.pending_key = null
RETURN t.id AS id
