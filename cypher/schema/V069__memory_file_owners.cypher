// A user's files are found by the user.
// mode: schema
// params: -
// returns: -
CREATE INDEX memory_file_owners IF NOT EXISTS
FOR (n:MemoryFile)
ON (n.user_id)
