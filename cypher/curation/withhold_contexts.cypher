// Empty the contexts of sources that are gone, or that the user may no longer read, whatever keeps the contexts themselves.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_context(row.id)
SET c.content = null,
  c.access_tier = 'SENSITIVE',
  c.fingerprint = null
RETURN c.id AS id
