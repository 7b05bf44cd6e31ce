// Files that were set aside and are no longer where they were.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (f:SourceFile {id: row.id, user_id: $user_id})
SET f.status = 'gone',
  f.reason = null,
  f.stamp = null,
  f.content_fingerprint = ''
RETURN f.id AS id
