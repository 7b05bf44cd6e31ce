// Those of some files that an owner's ingestions have seen (list_source_files).
// mode: read
// params: ids, user_id
// returns: id, path, content_fingerprint, stamp, reader_version, kind, status, reason, source_ids, line_errors
UNWIND $ids AS wanted
MATCH (f:SourceFile {id: wanted, user_id: $user_id})
RETURN f.id AS id, f.path AS path, coalesce(f.content_fingerprint, '') AS content_fingerprint, f.stamp AS stamp,
  f.reader_version AS reader_version, f.kind AS kind, f.status AS status, f.reason AS reason,
  coalesce(f.source_ids, []) AS source_ids, coalesce(f.line_errors, []) AS line_errors
