// That full definitions were given to somebody: what had changed in them waits no longer. The registry counts those that
// nobody had loaded before; one that nobody has added up yet stays so.
// mode: write
// params: rows, registry_id, user_id, now
// returns: first_loads
UNWIND $rows AS row
MATCH (t:HeartbeatTask {id: row.id, user_id: $user_id})
WITH t, CASE WHEN t.last_definition_load IS NULL THEN 1 ELSE 0 END AS is_first
SET t.last_definition_load = datetime($now),
  t.is_pending = false,
  t.pending_key = null
WITH sum(is_first) AS first_loads
MATCH (r:HeartbeatTaskRegistry {id: $registry_id, user_id: $user_id})
SET r.loaded = r.loaded + first_loads
RETURN first_loads
