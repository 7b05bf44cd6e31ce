// Somebody has read a context: it is counted, and does not expire any more (001, TTL Rules: unless accessed).
// mode: write
// params: id, user_id, now
// returns: id
MATCH (c:CompressedContext {id: $id})
WHERE c.user_id = $user_id
SET c.access_count = coalesce(c.access_count, 0) + 1,
  c.last_accessed = datetime($now),
  c.expires_at = null,
  c.due_key = null
RETURN c.id AS id
