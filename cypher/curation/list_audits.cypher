// What curation has cut of a user's from one key to another, by its audits, the latest first; what each memory was is find_audits'.
// mode: read
// params: user_id, first, last
// returns: id, memory_id, label, action, reason, at, cycle_id, restored_at
MATCH (a:CurationAudit)
WHERE a.cut_key >= $first AND a.cut_key < $last
WITH a
WHERE a.user_id = $user_id
RETURN a.id AS id, a.memory_id AS memory_id, a.label AS label, a.action AS action, a.reason AS reason, a.at AS at,
  a.cycle_id AS cycle_id, a.restored_at AS restored_at
ORDER BY at DESC, id
