// What became of each file that an ingestion saw: bookkeeping, no memory.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MERGE (f:SourceFile {id: row.id, user_id: $user_id})
SET f.path = row.path,
  f.size = row.size,
  f.content_fingerprint = row.content_fingerprint,
  f.stamp = row.stamp,
  f.reader_version = row.reader_version,
  f.status = row.status,
  f.reason = row.reason,
  f.line_errors = row.line_errors,
  f.kind = row.kind,
  f.source_ids = row.source_ids,
  f.seen_at = datetime(row.seen_at)
RETURN f.id AS id
