// Tasks as they are given (000, HeartbeatTask): their counts of executions and errors stay what they were.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (t:HeartbeatTask {id: row.id, user_id: $user_id})
ON CREATE SET t.execution_count = 0, t.error_count = 0
SET t.task_key = row.task_key,
  t.ref = row.ref,
  t.task_name = row.task_name,
  t.schedule = row.schedule,
  t.definition_json = row.definition_json,
  t.definition_tokens = row.definition_tokens,
  t.definition_hash = row.definition_hash,
  t.is_active = row.is_active,
  t.is_quick = row.is_quick,
  t.is_pending = row.is_pending,
  t.shelf_key = row.shelf_key,
  t.pending_key = row.pending_key,
  t.due_key = row.due_key,
  t.next_due = CASE
    WHEN row.next_due IS NULL THEN null
    ELSE datetime(row.next_due)
  END,
  t.added_at = datetime(row.added_at),
  t.updated_at = datetime($now)
RETURN t.id AS id
