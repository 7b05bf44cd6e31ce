// A file of the inbox that was seen before.
// mode: schema
// params: -
// returns: -
CREATE INDEX source_file_paths IF NOT EXISTS
FOR (n:SourceFile)
ON (n.user_id, n.path)
