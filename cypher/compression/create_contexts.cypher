// The contexts of a batch that are not there yet: whose, of what, and that nobody has used them.
// ``beginning`` is the state that they begin with. Looked up by one label, then created with both: a MERGE on two labels uses no index on the embedded engine.
// mode: write
// params: rows, user_id, beginning, now
// returns: id
UNWIND $rows AS row
OPTIONAL MATCH (known:CompressedContext {id: row.id})
WHERE known.user_id = $user_id
WITH row, known
WHERE known IS NULL
CREATE (c:Memory:CompressedContext {
  id: row.id,
  user_id: $user_id,
  ref: row.ref,
  compression_level: row.compression_level,
  source_id: row.source_id,
  source_owner: row.source_owner,
  expires_at: CASE WHEN row.expires_at IS NULL THEN null ELSE datetime(row.expires_at) END,
  due_key: row.due_key,
  created_at: datetime($now)
})
SET c += $beginning
RETURN c.id AS id
