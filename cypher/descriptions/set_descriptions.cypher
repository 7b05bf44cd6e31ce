// How subjects are described now, and from what; a subject that became dirty since it was read stays so. What is not described
// any more has no text and no embedding.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.described_at = CASE WHEN row.is_new THEN datetime($now) ELSE m.described_at END,
  m.described_key = CASE WHEN row.is_made_anew THEN row.described_key ELSE m.described_key END,
  m.description = row.description,
  m.description_sentences = row.sentences,
  m.described_from = row.described_from,
  m.described_by = CASE WHEN row.description IS NULL THEN null ELSE coalesce(row.model, m.described_by) END,
  m.embedding = CASE WHEN row.is_embedded THEN row.embedding ELSE m.embedding END,
  m.embedder = CASE WHEN row.is_embedded THEN row.embedder ELSE m.embedder END
WITH row, m,
  CASE WHEN row.dirty_at IS NULL THEN m.dirty_at IS NULL ELSE m.dirty_at = datetime(row.dirty_at) END AS is_as_read
SET m.is_dirty = CASE WHEN is_as_read THEN false ELSE m.is_dirty END,
  m.dirty_since = CASE WHEN is_as_read THEN null ELSE m.dirty_at END,
  m.stale_key = CASE WHEN is_as_read THEN row.stale_key ELSE m.stale_key END
RETURN m.id AS id
