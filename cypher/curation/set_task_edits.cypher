// What an edit of a HEARTBEAT.md has decided about tasks, each with an audit. The tasks themselves change elsewhere; no
// memory and no task goes here.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (e:FileEdit {id: row.id, user_id: $user_id})
SET e.memory_id = row.memory_id,
  e.ref = row.ref,
  e.task_key = row.task_key,
  e.action = row.action,
  e.path = row.path,
  e.published_text = row.published_text,
  e.edited_text = row.edited_text,
  e.conflict = row.conflict,
  e.task_before = row.task_before,
  e.task_hash = row.task_hash,
  e.at = datetime(row.at),
  e.taken_in_at = datetime($now)
@audit(row.memory_id, 'FileEdit', row.audit_action)
RETURN row.id AS id
