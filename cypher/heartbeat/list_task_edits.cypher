// What edits of a user's HEARTBEAT.md files have decided about tasks, the oldest first.
// mode: read
// params: user_id
// returns: id, memory_id, ref, task_key, action, path, published_text, edited_text, conflict, task_before, task_hash, at, taken_in_at
MATCH (e:FileEdit {user_id: $user_id})
WHERE e.task_key IS NOT NULL
RETURN e.id AS id,
  e.memory_id AS memory_id,
  e.ref AS ref,
  e.task_key AS task_key,
  e.action AS action,
  e.path AS path,
  e.published_text AS published_text,
  e.edited_text AS edited_text,
  e.conflict AS conflict,
  e.task_before AS task_before,
  e.task_hash AS task_hash,
  e.at AS at,
  e.taken_in_at AS taken_in_at
ORDER BY taken_in_at, at, id
