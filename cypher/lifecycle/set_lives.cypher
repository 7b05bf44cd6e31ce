// What accesses have made of memories. Frequency and recency of the valued ones are others now: they are to be scored
// again when scoring comes next.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.state = row.state,
  m.archived_from = row.archived_from,
  m.salience = row.salience,
  m.salience_at = datetime(row.salience_at),
  m.access_count = row.access_count,
  m.recall_frequency = row.recall_frequency,
  m.last_accessed_at = datetime(row.last_accessed_at),
  m.last_recall_interval = row.last_recall_interval,
  m.decay_gradient = row.decay_gradient,
  m.archived_at = CASE WHEN row.archived_from IS NULL THEN null ELSE m.archived_at END,
  m.folded_by = CASE WHEN row.archived_from IS NULL THEN null ELSE m.folded_by END,
  m.kept_turns = CASE WHEN row.archived_from IS NULL THEN null ELSE m.kept_turns END,
  m.bulky = CASE WHEN row.archived_from IS NULL THEN null ELSE m.bulky END,
  m.unaged = $user_id,
  m.unscored = CASE WHEN row.is_valued THEN $user_id ELSE m.unscored END
RETURN m.id AS id
