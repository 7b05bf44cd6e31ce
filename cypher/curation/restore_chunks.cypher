// Statements that a source makes again, although they were merged into others that are gone by now: they live again.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
WHERE c.tombstone = true
SET c.state = coalesce(c.tombstoned_from, 'candidate'),
  c.tombstone = null,
  c.deleted_at = null,
  c.tombstone_key = null,
  c.tombstoned_from = null,
  c.merged_into = null,
  c.merged_by = null,
  c.uncompared = $user_id,
  c.updated_at = datetime($now)
RETURN c.id AS id
