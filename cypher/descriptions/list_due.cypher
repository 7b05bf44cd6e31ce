// Whose description is due by an instant, since when, and when somebody has last asked for them: found by a range of one
// index, so that it costs what is due.
// The owner is asked for behind the range: beside it, the embedded engine reads all that the owner has.
// mode: read
// params: user_id, first, last
// returns: id, dirty_since, stale_key, accessed_at
MATCH (m:Memory)
WHERE m.stale_key >= $first AND m.stale_key <= $last
WITH m
WHERE m.user_id = $user_id
RETURN m.id AS id, CASE WHEN m.is_dirty THEN coalesce(m.dirty_since, m.dirty_at) END AS dirty_since,
  m.stale_key AS stale_key, m.last_accessed_at AS accessed_at
ORDER BY id
