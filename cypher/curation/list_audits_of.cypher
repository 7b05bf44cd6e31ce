// Every audit of some memories of a user, the latest first.
// mode: read
// params: user_id, ids
// returns: id, memory_id, action, at, restored_at
UNWIND $ids AS wanted
MATCH (a:CurationAudit {memory_id: wanted})
WHERE a.user_id = $user_id
RETURN a.id AS id, a.memory_id AS memory_id, a.action AS action, a.at AS at, a.restored_at AS restored_at
ORDER BY at DESC, id
