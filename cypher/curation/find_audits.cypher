// Audits of a user by their ids, with all that they hold.
// mode: read
// params: user_id, ids
// returns: id, memory_id, label, action, reason, at, cycle_id, restored_at, snapshot, kept_id, kept_snapshot
UNWIND $ids AS wanted
MATCH (a:CurationAudit {id: wanted})
WHERE a.user_id = $user_id
RETURN a.id AS id, a.memory_id AS memory_id, a.label AS label, a.action AS action, a.reason AS reason, a.at AS at,
  a.cycle_id AS cycle_id, a.restored_at AS restored_at, a.snapshot AS snapshot, a.kept_id AS kept_id,
  a.kept_snapshot AS kept_snapshot
