// What edits of a user's files have decided about memories and tasks, each with an audit: by such a decision a memory is left
// out of its user's values and files, or is there again. No memory goes here, and no task: these change elsewhere.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (e:FileEdit {id: row.id, user_id: $user_id})
SET e.memory_id = row.memory_id,
  e.ref = row.ref,
  e.action = row.action,
  e.by_memory_id = row.by_memory_id,
  e.in_place_of = row.in_place_of,
  e.path = row.path,
  e.section = row.section,
  e.source_id = row.source_id,
  e.published_text = row.published_text,
  e.edited_text = row.edited_text,
  e.conflict = row.conflict,
  e.action_before = row.action_before,
  e.seen = row.seen,
  e.task_key = row.task_key,
  e.task_before = row.task_before,
  e.task_hash = row.task_hash,
  e.at = datetime(row.at),
  e.taken_in_at = datetime($now)
@audit(row.memory_id, 'FileEdit', row.audit_action)
SET a.unscored = CASE WHEN row.task_key IS NULL THEN $user_id ELSE null END
RETURN row.id AS id
