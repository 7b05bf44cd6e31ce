// The files of a user that have moved in, were about to, or have moved out again.
// mode: read
// params: user_id
// returns: path, kind, sha256, mode, backup, status, source_ids, tasks, published, earlier
MATCH (m:FileMigration {user_id: $user_id})
RETURN m.path AS path,
  m.kind AS kind,
  m.sha256 AS sha256,
  m.mode AS mode,
  m.backup AS backup,
  m.status AS status,
  m.source_ids AS source_ids,
  m.tasks AS tasks,
  m.published AS published,
  m.earlier AS earlier
ORDER BY path
