// How far the moving in of a user's file has come, and what it has made.
// mode: write
// params: id, user_id, path, kind, sha256, mode, backup, status, source_ids, tasks, published, earlier, now
// returns: id
MERGE (m:FileMigration {id: $id, user_id: $user_id})
ON CREATE SET m.begun_at = datetime($now)
SET m.path = $path,
  m.kind = $kind,
  m.sha256 = $sha256,
  m.mode = $mode,
  m.backup = $backup,
  m.status = $status,
  m.source_ids = $source_ids,
  m.tasks = $tasks,
  m.published = $published,
  m.earlier = $earlier,
  m.updated_at = datetime($now)
RETURN m.id AS id
