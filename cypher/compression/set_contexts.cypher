// What the contexts of a batch say now, how long it is, and what it was made from (full contexts alone say that). When
// and how often somebody used them, and when they expire, stays.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
@owned_context(row.id)
SET c.content = row.content,
  c.token_count = row.token_count,
  c.compression_ratio = row.compression_ratio,
  c.content_type = row.content_type,
  c.contains_pii = row.contains_pii,
  c.access_tier = row.access_tier,
  c.occurred_at = CASE WHEN row.occurred_at IS NULL THEN null ELSE datetime(row.occurred_at) END,
  c.parent_context_id = CASE WHEN row.parent_context_id IS NULL THEN c.parent_context_id ELSE row.parent_context_id END,
  c.child_context_ids = CASE WHEN row.child_context_ids IS NULL THEN c.child_context_ids ELSE row.child_context_ids END,
  c.has_summary = row.has_summary,
  c.fingerprint = row.fingerprint,
  c.updated_at = datetime($now)
RETURN c.id AS id
