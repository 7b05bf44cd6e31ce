// What of a user's has faded or expired by a clock that was ahead: it was archived later than it is now, and no note replaces
// it. Found by a range of the audits' index, which holds nothing where no clock was ahead.
// The owner is asked for behind the range: beside it, the embedded engine reads an index by owner.
// mode: read
// params: user_id, first, last, now
// returns: memory_id, labels
MATCH (a:CurationAudit)
WHERE a.cut_key > $first AND a.cut_key <= $last
WITH a
WHERE a.user_id = $user_id
  AND a.action = 'archive'
MATCH (m:Memory {id: a.memory_id})
WHERE m.user_id = $user_id
  AND @is_living(m)
  AND m.archived_at > datetime($now)
  AND m.folded_by IS NULL
RETURN DISTINCT m.id AS memory_id, labels(m) AS labels
ORDER BY memory_id
