// Audits of a user that nobody needs any more: older than a day, and neither of what is still archived (a check reads that), nor of
// a tombstone, nor of what was removed later, whose way back goes through them; nor of a name that was retired, which comes
// back as what it was; nor what is still to be taken note of.
// mode: read
// params: user_id, actions, before, limit
// returns: id, memory_id
UNWIND $actions AS action
MATCH (a:CurationAudit {user_id: $user_id, action: action})
WHERE a.at < datetime($before)
  AND a.unscored IS NULL
  AND a.unjudged IS NULL
  AND a.untold IS NULL
  AND NOT (action = 'retire' AND a.label IN ['Person', 'Concept', 'Entity'])
OPTIONAL MATCH (m:Memory {id: coalesce(a.memory_id, '')})
WITH a, m
WHERE m IS NULL
  OR (m.tombstone IS NULL AND (a.action <> 'archive' OR coalesce(m.archived_at <> a.at, true)))
WITH a
WHERE NOT EXISTS {
  MATCH (b:CurationAudit {memory_id: a.memory_id})
  WHERE b.user_id = $user_id
    AND b.action = 'remove'
    AND b.at >= datetime($before)
}
RETURN a.id AS id, a.memory_id AS memory_id
ORDER BY id
LIMIT $limit
