// What somebody has decided about a memory, a task, two names or two statements, as it is now, with an audit: by a decision
// that leaves a memory out it counts no longer, and by one that is taken back it is what it was. No memory goes here, and
// no task: these change elsewhere.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (d:Decision {id: row.id, user_id: $user_id})
SET d += row,
  d.snapshot = null,
  d.at = datetime(row.at),
  d.recorded_at = datetime($now)
@audit(row.memory_id, 'Decision', row.audit_action)
SET a.unscored = CASE WHEN row.kind = 'edit' THEN $user_id ELSE null END
WITH row
OPTIONAL MATCH (m:KnowledgeChunk {id: row.memory_id, user_id: $user_id})
WITH row, m, row.kind = 'edit' AS is_edit, datetime('9999-12-31T00:00:00Z') AS no_day
SET m.unjudged = $user_id,
  @becomes_untold(m, is_edit, no_day)
RETURN row.id AS id
