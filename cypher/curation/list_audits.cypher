// What curation has cut of a user's since an instant, by its audits, the latest first; what each memory was is find_audits'.
// mode: read
// params: user_id, actions, since
// returns: id, memory_id, label, action, reason, at, cycle_id, restored_at
UNWIND $actions AS action
MATCH (a:CurationAudit {user_id: $user_id, action: action})
WHERE a.at >= datetime($since)
RETURN a.id AS id, a.memory_id AS memory_id, a.label AS label, a.action AS action, a.reason AS reason, a.at AS at,
  a.cycle_id AS cycle_id, a.restored_at AS restored_at
ORDER BY at DESC, id
