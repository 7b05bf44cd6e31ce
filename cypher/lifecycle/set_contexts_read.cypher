// How often somebody has read contexts: what was read does not expire any more (001, TTL Rules: unless accessed).
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_context(row.id)
SET c.access_count = row.access_count,
  c.last_accessed = datetime(row.last_accessed),
  c.expires_at = null,
  c.due_key = null
RETURN c.id AS id
