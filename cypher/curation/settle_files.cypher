// What is remembered of the files of erased sources: their digests, so that they are not read again, and no path.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (f:SourceFile {id: row.id, user_id: $user_id})
SET f.path = row.path,
  f.source_ids = row.source_ids,
  f.reason = null,
  f.line_errors = []
RETURN f.id AS id
